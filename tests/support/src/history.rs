//! Repository histories generated from a seed: thousands of commits with edits, moves, copies, modes, links, line ends, and unusual
//! bytes and names. They are the same on every machine.

use std::collections::BTreeMap;
use std::io::Write;

use crate::repo::TestRepo;

/// A pseudo-random generator (xorshift). The same seed gives the same numbers.
pub struct Dice(u64);

impl Dice {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number from 0 to `sides` - 1.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % sides.max(1) as u64) as usize
    }

    /// Returns true with a probability of 1 / `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.roll(times) == 0
    }

    /// Returns one of several values.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.roll(things.len())]
    }
}

const WORDS: &[&str] =
    &["alpha", "beta", "count", "delta", "value", "item", "left", "right", "result", "index", "state", "total"];
const FOLDERS: &[&str] = &["", "src/", "src/deep/er/", "docs/", "a b/", "tests/", "ünï/"];
const NAMES: &[&str] =
    &["main", "lib", "notes", "with space", "quo\"te", "tab\tname", "back\\slash", "new\nline", "größe"];
const ENDINGS: &[&str] = &[".rs", ".py", ".md", "", ".toml"];

/// Returns a line that looks like code.
pub fn line(dice: &mut Dice) -> Vec<u8> {
    let (one, two) = (*dice.pick(WORDS), *dice.pick(WORDS));
    match dice.roll(24) {
        0 => format!("fn {one}_{two}() {{"),
        1 | 2 => "}".to_owned(),
        3..=5 => String::new(),
        6 => format!("++ b/{one}"),
        7 => format!("-- a/{one}"),
        8 => "@@ -1,3 +1,4 @@".to_owned(),
        9 => format!("diff --git a/{one} b/{two}"),
        10 => "\\ No newline at end of file".to_owned(),
        11 => format!("\t\t{one};"),
        12 => return [b"caf\xe9 ", one.as_bytes()].concat(),
        13 => format!("größer {one}   "),
        14 => format!("class {one}: # {}", two.repeat(20)),
        _ => format!("    let {one} = {two}({});", dice.roll(30)),
    }
    .into_bytes()
}

fn text(dice: &mut Dice) -> Vec<u8> {
    if dice.once_in(15) {
        return Vec::new();
    }
    if dice.once_in(15) {
        return (0..dice.roll(3000)).map(|_| dice.roll(256) as u8).collect();
    }
    let end: &[u8] = if dice.once_in(6) { b"\r\n" } else { b"\n" };
    let most = if dice.once_in(10) { 900 } else { 120 };
    let mut out = Vec::new();
    for _ in 0..=dice.roll(most) {
        out.extend(line(dice));
        out.extend(end);
    }
    if dice.once_in(8) {
        out.truncate(out.len() - end.len());
    }
    out
}

fn edit(dice: &mut Dice, content: &[u8]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = content.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=dice.roll(6) {
        let at = dice.roll(lines.len() + 1);
        let count = 1 + if dice.once_in(5) { dice.roll(30) } else { dice.roll(3) };
        let until = (at + count).min(lines.len());
        match dice.roll(5) {
            0 => drop(lines.drain(at..until)),
            1 => {
                let block: Vec<_> = lines[at..until].to_vec();
                let to = dice.roll(lines.len() + 1);
                lines.splice(to..to, block);
            }
            2 => drop(lines.splice(at..at, (0..count).map(|_| [line(dice), b"\n".to_vec()].concat()))),
            _ => drop(lines.splice(at..until, (0..count).map(|_| [line(dice), b"\n".to_vec()].concat()))),
        }
    }
    let mut out = lines.concat();
    if dice.once_in(12) && out.ends_with(b"\n") {
        out.pop();
    }
    out
}

fn path(dice: &mut Dice) -> Vec<u8> {
    let mut path = format!("{}{}{}", dice.pick(FOLDERS), dice.pick(NAMES), dice.pick(ENDINGS)).into_bytes();
    if dice.once_in(20) {
        path.extend(b"-\xff\xfe");
    }
    path
}

#[derive(Clone)]
struct File {
    mode: &'static str,
    content: Vec<u8>,
}

/// Creates a repository with `commits` commits on `main`, some of which are merges.
pub fn generate(seed: u64, commits: usize) -> TestRepo {
    let mut dice = Dice::new(seed);
    let mut files: BTreeMap<Vec<u8>, File> = BTreeMap::new();
    let mut stream = Vec::new();
    for number in 1..=commits {
        for _ in 0..=dice.roll(5) {
            step(&mut dice, &mut files);
        }
        let date = 1_577_836_800 + 60 * number;
        let head = format!(
            "commit refs/heads/main\nmark :{number}\ncommitter A Tester <tester@example.com> {date} +0000\ndata 4\nstep\n"
        );
        stream.extend(head.as_bytes());
        if number > 1 {
            stream.extend(format!("from :{}\n", number - 1).as_bytes());
        }
        if number > 10 && dice.once_in(20) {
            stream.extend(format!("merge :{}\n", number - 2 - dice.roll(8)).as_bytes());
        }
        stream.extend(b"deleteall\n");
        for (path, file) in &files {
            stream.extend(format!("M {} inline ", file.mode).as_bytes());
            quote(path, &mut stream);
            stream.extend(format!("\ndata {}\n", file.content.len()).as_bytes());
            stream.extend(&file.content);
            stream.push(b'\n');
        }
    }
    let repo = TestRepo::new();
    repo.git_with(["fast-import", "--quiet"], &stream);
    repo.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
    repo
}

fn step(dice: &mut Dice, files: &mut BTreeMap<Vec<u8>, File>) {
    let known: Vec<Vec<u8>> = files.keys().cloned().collect();
    let fresh = path(dice);
    if known.is_empty() || dice.once_in(6) {
        put(files, fresh, File { mode: "100644", content: text(dice) });
        return;
    }
    let old = dice.pick(&known).clone();
    let mut file = files[&old].clone();
    match dice.roll(14) {
        0 => drop(files.remove(&old)),
        1 | 2 => {
            files.remove(&old);
            put(files, fresh, file);
        }
        3 | 4 => {
            files.remove(&old);
            file.content = edit(dice, &file.content);
            put(files, fresh, file);
        }
        5 => {
            file.content = edit(dice, &file.content);
            put(files, fresh, file);
        }
        6 => {
            file.mode = if file.mode == "100644" { "100755" } else { "100644" };
            put(files, old, file);
        }
        7 if dice.once_in(3) => {
            let content = format!("../{}", dice.pick(WORDS)).into_bytes();
            put(files, old, File { mode: "120000", content });
        }
        _ => {
            file.content = edit(dice, &file.content);
            put(files, old, file);
        }
    }
}

/// A file and a folder cannot have the same name.
fn put(files: &mut BTreeMap<Vec<u8>, File>, path: Vec<u8>, file: File) {
    let folder = [&path[..], b"/"].concat();
    let clash = |other: &Vec<u8>| other.starts_with(&folder) || path.starts_with(&[&other[..], b"/"].concat());
    if !files.keys().any(clash) {
        files.insert(path, file);
    }
}

fn quote(path: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in path {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            0x20..0x7f => out.push(byte),
            other => drop(write!(out, "\\{other:03o}")),
        }
    }
    out.push(b'"');
}
