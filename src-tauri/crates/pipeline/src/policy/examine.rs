//! Looking at a change: both sides' files followed within their bounds, compared, and held against contracts.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::trees::{Tree, utf8};
use crate::error::{Error, ErrorCode, Result};
use crate::open::OpenChange;
use diffsan_capability::contracts::Contracts;
use diffsan_capability::diff::{CapabilityDiff, ManifestSides, Sides, compare};
use diffsan_capability::follow::{Follow, Reached};
use diffsan_capability::judge::{Findings, PolicyFinding, judge};
use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::manifest;
use diffsan_capability::project::{Bounds, Project};
use diffsan_review::finding::Side;
use diffsan_syntax::language::{Language, is_test};

/// The stack of a thread that follows code: deep code is read to its bottom.
const STACK: usize = 64 * 1024 * 1024;

/// Whether the change is compared with its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only what the code can do now.
    Now,
    /// What it newly can.
    Compare,
}

/// What is asked of a change.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The bounds of each side.
    pub bounds: Bounds,
    /// The contracts; those of the repository if none is given.
    pub contracts: Option<Contracts>,
    /// What is looked at.
    pub mode: Mode,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Examined {
    /// The change's code files, in the order of their worth.
    pub targets: Vec<String>,
    /// What they reach now.
    pub reached: BTreeMap<String, Reached>,
    /// What is new; empty where nothing was compared.
    pub diff: CapabilityDiff,
    /// The contracts that hold.
    pub contracts: Contracts,
    /// What is thought of each of their lines.
    pub findings: Vec<PolicyFinding>,
    /// Files that were read, of both sides.
    pub files_read: usize,
    /// Bounds that were hit, with where.
    pub hits: BTreeMap<String, String>,
    /// Files that could not be read, and why.
    pub unreadable: BTreeMap<String, String>,
    /// Code files of the change that are not looked at, and why.
    pub left_out: BTreeMap<String, String>,
    /// What was done, in order.
    pub steps: Vec<String>,
}

/// What one side came to.
#[derive(Default)]
struct SideFound {
    reached: BTreeMap<String, Reached>,
    texts: BTreeMap<String, String>,
    contracts: Contracts,
    read: usize,
    hits: BTreeMap<&'static str, String>,
    unreadable: BTreeMap<String, &'static str>,
    steps: Vec<String>,
}

/// A file of the change on both sides.
struct Changed {
    now: Option<String>,
    before: Option<String>,
}

/// Looks at a change. `stop` ends it early, and what was found till then is told as such. Blocking.
pub fn examine(
    opened: &OpenChange,
    knowledge: &Knowledge,
    ask: &Ask,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Examined> {
    let (changed, left_out) = changed(opened);
    let code = |path: &Option<String>| path.clone().filter(|path| Language::of(path).is_some());
    let manifest = |path: &Option<String>| path.clone().filter(|path| manifest::language(path).is_some());
    let deadline = (ask.bounds.max_runtime_seconds > 0)
        .then(|| Instant::now() + Duration::from_secs(ask.bounds.max_runtime_seconds));
    let expired = || stop() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let want_contracts = ask.contracts.is_none();
    let look = |side: Side| -> Result<SideFound> {
        let of = |file: &Changed| if side == Side::New { file.now.clone() } else { file.before.clone() };
        let targets: Vec<String> = changed.iter().filter_map(|file| code(&of(file))).collect();
        // Only what is new is asked of manifests.
        let compares = ask.mode == Mode::Compare;
        let manifests: Vec<String> =
            changed.iter().filter(|_| compares).filter_map(|file| manifest(&of(file))).collect();
        let tree = Tree::open(opened, side)?;
        let contracts = match want_contracts {
            true => side_contracts(&tree, ask.bounds, &expired, &targets),
            false => Contracts::default(),
        };
        let follows = side == Side::New || ask.mode == Mode::Compare;
        let mut found = match follows {
            true => follow(&tree, knowledge, ask.bounds, &expired, &targets, &manifests),
            false => SideFound::default(),
        };
        found.contracts = contracts;
        Ok(found)
    };
    let (now, before) = both(|| look(Side::New), || look(Side::Old))?;
    let mut examined = Examined { left_out, ..Examined::default() };
    let mut sides = Vec::new();
    let mut manifests = Vec::new();
    for file in &changed {
        if let Some(path) = code(&file.now) {
            let before = file.before.as_ref().and_then(|path| before.reached.get(path)).cloned();
            if let Some(reached) = now.reached.get(&path) {
                sides.push(Sides { path: path.clone(), before, now: reached.clone() });
            }
            examined.targets.push(path);
        } else if let Some(path) = manifest(&file.now) {
            let text = |side: &SideFound, path: &Option<String>| {
                path.as_ref().and_then(|path| side.texts.get(path)).cloned().unwrap_or_default()
            };
            manifests.push(ManifestSides { before: text(&before, &file.before), now: text(&now, &file.now), path });
        }
    }
    if ask.mode == Mode::Compare {
        examined.diff = compare(knowledge, &sides, &manifests);
    }
    // The side that the change goes to says what holds: a change does not lift its own contract.
    examined.contracts = match &ask.contracts {
        Some(contracts) => contracts.clone(),
        None if !before.contracts.effects.is_empty() => before.contracts,
        None => now.contracts,
    };
    examined.files_read = now.read + before.read;
    examined.hits = before
        .hits
        .iter()
        .map(|(bound, detail)| ((*bound).to_owned(), format!("before the change: {detail}")))
        .collect();
    examined.hits.extend(now.hits.iter().map(|(bound, detail)| ((*bound).to_owned(), detail.clone())));
    examined.unreadable = now.unreadable.iter().map(|(path, reason)| (path.clone(), (*reason).to_owned())).collect();
    examined.steps = now.steps;
    let hits: Vec<String> = now.hits.iter().map(|(bound, detail)| format!("{bound} was reached: {detail}")).collect();
    let unread = now.unreadable.iter().map(|(path, reason)| format!("{path} was not read: {reason}"));
    let findings = Findings {
        targets: now.reached.iter().map(|(path, reached)| (path.as_str(), reached)).collect(),
        gaps: hits.into_iter().chain(unread).collect(),
        steps: examined.steps.clone(),
    };
    examined.findings = judge(knowledge, &examined.contracts.effects, &findings);
    examined.reached = now.reached;
    Ok(examined)
}

/// The code and manifests of a change, worthiest first, and the code that is left out.
fn changed(opened: &OpenChange) -> (Vec<Changed>, BTreeMap<String, String>) {
    let mut left_out = BTreeMap::new();
    let mut all = Vec::new();
    for &index in opened.plan.order() {
        let file = &opened.change.files[index];
        let now = file.new_path.as_ref().and_then(utf8);
        let path = file.path().to_text().into_owned();
        let of_interest = Language::of(&path).is_some() || manifest::language(&path).is_some();
        if !of_interest || file.is_binary() {
            continue;
        }
        if let Some(ignored) = opened.plan.ignored(index) {
            left_out.insert(path, ignored.details.clone());
            continue;
        }
        if is_test(&path) {
            left_out.insert(path, "a test says nothing of what the program does".to_owned());
            continue;
        }
        all.push(Changed { now, before: file.old_path.as_ref().and_then(utf8) });
    }
    (all, left_out)
}

fn side_contracts(tree: &Tree, bounds: Bounds, expired: &dyn Fn() -> bool, targets: &[String]) -> Contracts {
    let project = Project::new(tree, bounds, expired);
    super::contracts::of_side(&project, targets)
}

fn follow(
    tree: &Tree,
    knowledge: &Knowledge,
    bounds: Bounds,
    expired: &dyn Fn() -> bool,
    targets: &[String],
    manifests: &[String],
) -> SideFound {
    let project = Project::new(tree, bounds, expired);
    let follow = Follow::new(&project, knowledge);
    // The targets come first, so that no chain takes their place.
    for target in targets {
        project.facts(target);
    }
    let read = |path: &String| Some((path.clone(), project.text(path)?.to_string()));
    let texts: BTreeMap<String, String> = manifests.iter().filter_map(read).collect();
    let mut reached = BTreeMap::new();
    for target in targets {
        if let Some(found) = follow.file(target) {
            reached.insert(target.clone(), found);
        }
    }
    SideFound {
        reached,
        texts,
        read: project.files_read(),
        hits: project.hits(),
        unreadable: project.unreadable(),
        steps: project.steps(),
        ..SideFound::default()
    }
}

/// Both sides at once, each on a thread with room for deep code.
fn both<T: Send>(one: impl FnOnce() -> Result<T> + Send, other: impl FnOnce() -> Result<T> + Send) -> Result<(T, T)> {
    let ended = || Error::new(ErrorCode::Internal, "Looking at the code ended unexpectedly.");
    std::thread::scope(|scope| {
        let start = |work| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let one: Box<dyn FnOnce() -> Result<T> + Send> = Box::new(one);
        let other: Box<dyn FnOnce() -> Result<T> + Send> = Box::new(other);
        let (one, other) = (start(one), start(other));
        let one = one.map_err(|error| ended().cause(error))?.join().map_err(|_| ended())?;
        let other = other.map_err(|error| ended().cause(error))?.join().map_err(|_| ended())?;
        Ok((one?, other?))
    })
}
