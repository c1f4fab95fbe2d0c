//! Maps the paths of reports to files of the head. Reports name files relative to the folder of their program, or absolutely on the
//! machine of the pipeline. A path that fits several files is ambiguous.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use percent_encoding::percent_decode_str;

/// The maximum number of files that one path is compared with.
const MAX_CANDIDATES: usize = 200;

/// The paths of the head. They are listed when the first path of a report is mapped: most changes have no report, and listing the
/// files of a repository takes long.
pub struct Tree<'a> {
    list: Box<dyn Fn() -> BTreeSet<String> + 'a>,
    by_name: OnceCell<HashMap<String, Vec<String>>>,
}

impl<'a> Tree<'a> {
    /// Creates a tree from a function that lists the paths of all files.
    pub fn new(list: impl Fn() -> BTreeSet<String> + 'a) -> Self {
        Self { list: Box::new(list), by_name: OnceCell::new() }
    }

    fn by_name(&self) -> &HashMap<String, Vec<String>> {
        self.by_name.get_or_init(|| {
            let mut by_name: HashMap<String, Vec<String>> = HashMap::new();
            for path in (self.list)() {
                by_name.entry(name_of(&path).to_owned()).or_default().push(path);
            }
            by_name
        })
    }

    fn named(&self, name: &str) -> &[String] {
        let all = self.by_name().get(name).map_or(&[][..], Vec::as_slice);
        &all[..all.len().min(MAX_CANDIDATES)]
    }

    fn has(&self, path: &str) -> bool {
        self.named(name_of(path)).iter().any(|known| known == path)
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The place of a report, which says how its paths are meant.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The folder of the report relative to the root of the repository, if it lies inside.
    pub folder: Option<String>,
    /// Absolute paths of the root of the repository, where they are known.
    pub roots: Vec<String>,
}

/// The file that a path of a report means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mapped {
    One(String),
    /// Several files fit.
    Ambiguous(Vec<String>),
    /// No file of the head fits.
    Unknown,
}

/// Maps paths of one report together, because they share their root. `all` has the possible names of each file.
pub(crate) fn map(tree: &Tree<'_>, origin: &Origin, all: &[Vec<String>]) -> Vec<Mapped> {
    let candidates: Vec<Vec<Candidate>> = all
        .iter()
        .map(|names| {
            let mut found: Vec<Candidate> = names.iter().flat_map(|name| candidates(tree, origin, name)).collect();
            if found.iter().any(|one| one.sure) {
                found.retain(|one| one.sure);
            }
            found
        })
        .collect();
    let mut votes: HashMap<&str, usize> = HashMap::new();
    for one in &candidates {
        let roots: BTreeSet<&str> = one.iter().map(|candidate| candidate.root.as_str()).collect();
        for root in roots {
            *votes.entry(root).or_default() += 1;
        }
    }
    candidates.iter().map(|found| decide(found, &votes)).collect()
}

/// A file that a path may mean.
struct Candidate {
    path: String,
    /// The folder that the path is relative to, if this file is meant.
    root: String,
    /// Whether the place of the report confirms the root.
    sure: bool,
    /// Whether only the name of the file fits, and the folder above it is unknown.
    only_name: bool,
}

/// Decides between the files that a path may mean. The root that fits most files of the report wins, if it wins alone.
fn decide(found: &[Candidate], votes: &HashMap<&str, usize>) -> Mapped {
    let paths: BTreeSet<&str> = found.iter().map(|one| one.path.as_str()).collect();
    let count = |one: &Candidate| votes.get(one.root.as_str()).copied().unwrap_or_default();
    if paths.len() <= 1 {
        // The name of a file in the root is too weak, unless the rest of the report has the same root.
        let fits = found.iter().find(|one| one.sure || !one.only_name || count(one) > 1);
        return fits.map_or(Mapped::Unknown, |one| Mapped::One(one.path.clone()));
    }
    let most = found.iter().map(count).max().unwrap_or_default();
    let best: BTreeSet<&str> = found.iter().filter(|one| count(one) == most).map(|one| one.path.as_str()).collect();
    match (best.len(), best.first()) {
        (1, Some(path)) if most > 1 => Mapped::One((*path).to_owned()),
        _ => Mapped::Ambiguous(paths.into_iter().map(str::to_owned).collect()),
    }
}

fn candidates(tree: &Tree<'_>, origin: &Origin, name: &str) -> Vec<Candidate> {
    let Some((path, absolute)) = normalized(name) else { return Vec::new() };
    if absolute {
        for root in &origin.roots {
            let rest = path.strip_prefix(root.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
            if let Some(rest) = rest.filter(|rest| tree.has(rest)) {
                return vec![Candidate { path: rest.to_owned(), root: root.clone(), sure: true, only_name: false }];
            }
        }
        let fits = |known: &&String| path.strip_suffix(known.as_str()).is_some_and(|root| root.ends_with('/'));
        let candidate = |known: &String| Candidate {
            path: known.clone(),
            root: path[..path.len() - known.len()].to_owned(),
            sure: false,
            only_name: !known.contains('/'),
        };
        return tree.named(name_of(&path)).iter().filter(fits).map(candidate).collect();
    }
    // A program runs in a folder above its report.
    let mut folder = origin.folder.as_deref();
    while let Some(base) = folder {
        let whole = if base.is_empty() { path.clone() } else { format!("{base}/{path}") };
        if tree.has(&whole) {
            return vec![Candidate { path: whole, root: base.to_owned(), sure: true, only_name: false }];
        }
        folder = match base.rsplit_once('/') {
            Some((above, _)) => Some(above),
            None if base.is_empty() => None,
            None => Some(""),
        };
    }
    let end = format!("/{path}");
    let fits = |known: &&String| **known == path || known.ends_with(&end);
    let candidate = |known: &String| Candidate {
        path: known.clone(),
        root: known[..known.len() - path.len()].to_owned(),
        sure: false,
        only_name: false,
    };
    tree.named(name_of(&path)).iter().filter(fits).map(candidate).collect()
}

/// Returns a path with `/`, without `.`, `..` and protocol, and whether it is absolute.
fn normalized(name: &str) -> Option<(String, bool)> {
    let decoded = match name.strip_prefix("file://") {
        Some(path) => percent_decode_str(path).decode_utf8_lossy().into_owned(),
        None if name.contains("://") => return None,
        // A URI of SARIF may be relative and encoded. A file name with a percent sign is rare.
        None if name.contains("%20") => percent_decode_str(name).decode_utf8_lossy().into_owned(),
        None => name.to_owned(),
    };
    let path = decoded.trim().replace('\\', "/");
    let drive = path.trim_start_matches('/').as_bytes().get(1) == Some(&b':');
    let absolute = path.starts_with('/') || drive;
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let whole = parts.join("/");
    (!whole.is_empty()).then(|| (if absolute && !drive { format!("/{whole}") } else { whole }, absolute))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree<'a>(paths: &'a [&str]) -> Tree<'a> {
        Tree::new(|| paths.iter().map(|path| (*path).to_owned()).collect())
    }

    fn shown(tree: &Tree<'_>, origin: &Origin, names: &[&str]) -> Vec<String> {
        let all: Vec<Vec<String>> = names.iter().map(|name| vec![(*name).to_owned()]).collect();
        let text = |mapped: &Mapped| match mapped {
            Mapped::One(path) => path.clone(),
            Mapped::Ambiguous(paths) => format!("? {}", paths.join(" ")),
            Mapped::Unknown => "-".to_owned(),
        };
        map(tree, origin, &all).iter().map(text).collect()
    }

    fn at(folder: &str) -> Origin {
        Origin { folder: Some(folder.to_owned()), roots: Vec::new() }
    }

    #[test]
    fn the_files_of_the_head_are_listed_only_for_a_report() {
        let listed = std::cell::Cell::new(false);
        let tree = Tree::new(|| {
            listed.set(true);
            BTreeSet::from(["a.py".to_owned()])
        });
        assert_eq!((shown(&tree, &Origin::default(), &[]).len(), listed.get()), (0, false));
        assert_eq!((shown(&tree, &Origin::default(), &["a.py"]), listed.get()), (vec!["a.py".to_owned()], true));
    }

    #[test]
    fn relative_paths_are_meant_from_a_folder_above_the_report() {
        let tree = tree(&["src/price.js", "web/src/price.js", "api/src/price.js", "web/src/only.js"]);
        assert_eq!(shown(&tree, &at("web/coverage"), &["src/price.js"]), ["web/src/price.js"]);
        assert_eq!(shown(&tree, &at("coverage"), &["src/price.js", "./src/../src/price.js"]), ["src/price.js"; 2]);
        assert_eq!(shown(&tree, &at("coverage"), &["src/only.js", "src/none.js"]), ["web/src/only.js", "-"]);
    }

    #[test]
    fn a_path_that_fits_several_files_is_ambiguous_until_the_rest_of_the_report_decides() {
        let tree = tree(&["web/src/price.js", "api/src/price.js", "web/src/only.js"]);
        let both = "? api/src/price.js web/src/price.js";
        assert_eq!(shown(&tree, &Origin::default(), &["src/price.js"]), [both]);
        let more = shown(&tree, &Origin::default(), &["src/price.js", "src/only.js"]);
        assert_eq!(more, ["web/src/price.js", "web/src/only.js"]);
    }

    #[test]
    fn absolute_paths_of_another_machine_are_mapped_by_their_end() {
        let tree = tree(&["shop/cart.py", "cart.py", "setup.py", "tests/test_cart.py"]);
        let none = Origin::default();
        assert_eq!(shown(&tree, &none, &["/builds/acme/shop/shop/cart.py"]), ["? cart.py shop/cart.py"]);
        assert_eq!(
            shown(&tree, &none, &["/builds/acme/shop/shop/cart.py", "/builds/acme/shop/tests/test_cart.py"]),
            ["shop/cart.py", "tests/test_cart.py"]
        );
        // A file of the system is none of the root of the repository.
        assert_eq!(shown(&tree, &none, &["/usr/lib/python3/setup.py"]), ["-"]);
        let known = Origin { folder: None, roots: vec!["/builds/acme/shop".to_owned()] };
        assert_eq!(shown(&tree, &known, &["/builds/acme/shop/setup.py"]), ["setup.py"]);
        assert_eq!(shown(&tree, &known, &["file:///builds/acme/shop/shop/cart.py"]), ["shop/cart.py"]);
    }

    #[test]
    fn foreign_forms_of_paths_are_understood() {
        let tree = tree(&["shop/my cart.py", "tests/a.cs"]);
        let none = Origin::default();
        assert_eq!(shown(&tree, &none, &["C:\\work\\repo\\tests\\a.cs"]), ["tests/a.cs"]);
        assert_eq!(shown(&tree, &none, &["file:///b/repo/shop/my%20cart.py"]), ["shop/my cart.py"]);
        assert_eq!(shown(&tree, &none, &["https://host/shop/my cart.py", "../../..", ""]), ["-", "-", "-"]);
    }
}
