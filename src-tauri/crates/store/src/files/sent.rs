//! The prompts that a run sent, and the answers to them, from its folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A prompt that was sent, or the answer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentPrompt {
    /// The agent that was asked, if several agents were asked.
    pub agent: Option<String>,
    /// The number of the batch, from 1.
    pub part: u32,
    /// The number of the attempt, from 1. Later attempts describe the errors of the previous answer.
    pub attempt: u32,
    /// The path of the file.
    pub path: PathBuf,
}

/// Returns the prompts of a run, ordered by agent, batch and attempt.
pub fn sent_prompts(folder: &Path) -> io::Result<Vec<SentPrompt>> {
    files_of(folder, &|name| read_name(name, "prompt"))
}

/// Returns the answers of a run as the agents wrote them, ordered by agent, batch and attempt.
pub fn raw_answers(folder: &Path) -> io::Result<Vec<SentPrompt>> {
    // `agent.raw.txt` is a copy of the last attempt.
    files_of(folder, &|name| read_name(name, "agent.raw").filter(|_| name.contains(".attempt")))
}

fn files_of(folder: &Path, read_name: &dyn Fn(&str) -> Option<(u32, u32)>) -> io::Result<Vec<SentPrompt>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            let agent = entry.file_name().to_string_lossy().into_owned();
            for inside in fs::read_dir(entry.path())? {
                found.extend(file(&inside?, Some(&agent), read_name)?);
            }
        } else {
            found.extend(file(&entry, None, read_name)?);
        }
    }
    found.sort_by(|a, b| (&a.agent, a.part, a.attempt).cmp(&(&b.agent, b.part, b.attempt)));
    Ok(found)
}

fn file(
    entry: &fs::DirEntry,
    agent: Option<&str>,
    read_name: &dyn Fn(&str) -> Option<(u32, u32)>,
) -> io::Result<Option<SentPrompt>> {
    let name = entry.file_name();
    let Some((part, attempt)) = name.to_str().and_then(read_name) else { return Ok(None) };
    let path = entry.path();
    let there = entry.file_type()?.is_file();
    Ok(there.then(|| SentPrompt { agent: agent.map(str::to_owned), part, attempt, path }))
}

/// Parses the batch and attempt from `prompt.txt`, `prompt.2.txt`, `prompt.attempt2.txt`, `prompt.attempt2.2.txt`, where `stem` is `prompt`.
fn read_name(name: &str, stem: &str) -> Option<(u32, u32)> {
    let rest = name.strip_suffix(".txt")?.strip_prefix(stem)?;
    let (mut part, mut attempt) = (1, 1);
    let mut words = rest.split('.');
    if words.next() != Some("") {
        return None;
    }
    for word in words {
        match word.strip_prefix("attempt") {
            Some(number) => attempt = number.parse().ok()?,
            None => part = word.parse().ok()?,
        }
    }
    Some((part, attempt))
}

#[cfg(test)]
mod tests {
    use super::read_name;

    #[test]
    fn names_contain_part_and_attempt() {
        let known = [
            ("prompt.txt", Some((1, 1))),
            ("prompt.2.txt", Some((2, 1))),
            ("prompt.attempt3.txt", Some((1, 3))),
            ("prompt.attempt2.11.txt", Some((11, 2))),
            ("prompts.txt", None),
            ("prompt.md", None),
            ("prompt.x.txt", None),
        ];
        for (name, expected) in known {
            assert_eq!(read_name(name, "prompt"), expected, "{name}");
        }
    }
}
