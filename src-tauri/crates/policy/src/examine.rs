//! Examines a change: follows the files of both sides within bounds, compares them, and checks them against contracts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::PolicyError;
use crate::facts_cache::FactsCache;
use crate::trees::{ChangeFiles, Scripts, Tree, utf8};
use diffsan_capability::additions::Additions;
use diffsan_capability::commands::Format;
use diffsan_capability::contracts;
use diffsan_capability::diff::{CapabilityDiff, ManifestSides, Sides, compare};
use diffsan_capability::follow::Follow;
use diffsan_capability::judge::{Findings, PolicyFinding, judge};
use diffsan_capability::kinds::{self, Kind};
use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::manifest;
use diffsan_capability::not_examined::OtherFile;
use diffsan_capability::project::{BOUNDS_OF_USES, Bounds, Project, UNREAD_PARTS};
use diffsan_capability::reach::Reached;
use diffsan_capability::read::language_of;
use diffsan_contracts::Contracts;
use diffsan_prepare::Plan;
use diffsan_prepare::types::IgnoreReason;
use diffsan_redact::Session;
use diffsan_review::finding::Side;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::language::is_test;

/// The stack size in bytes of a thread that follows code, large enough for deeply nested code.
const STACK: usize = 64 * 1024 * 1024;

/// Git's file mode of a submodule.
const SUBMODULE_MODE: u32 = 0o160_000;
/// The size in bytes up to which the contents of a file that is not code by its name are looked at.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Whether a change is compared with its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only the current effects of the code are examined.
    Now,
    /// The new effects are determined.
    Compare,
}

/// The options of an examination.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The bounds of each side.
    pub bounds: Bounds,
    /// The contracts; `None` for those of the repository.
    pub contracts: Option<Contracts>,
    /// Whether the change is compared with its base.
    pub mode: Mode,
    /// The stored facts about files, if they are used.
    pub stored_facts: Option<SymbolCache>,
}

/// The change that is examined.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The change and the files of its sides.
    pub files: ChangeFiles<'a>,
    /// The order of its files, and the files that are not examined.
    pub plan: &'a Plan,
}

type Result<T> = std::result::Result<T, PolicyError>;

/// The result of an examination.
#[derive(Clone, Debug, Default)]
pub struct Examined {
    /// Whether the change was compared with its base. Otherwise nothing is known of new effects.
    pub compared: bool,
    /// The code files of the change, the most relevant first.
    pub targets: Vec<String>,
    /// The effects that they reach now.
    pub reached: BTreeMap<String, Reached>,
    /// The new effects; empty if nothing was compared.
    pub diff: CapabilityDiff,
    /// The modules with unknown effects that the change newly calls, each with a place.
    pub unknown_modules: BTreeMap<String, String>,
    /// The contracts that apply.
    pub contracts: Contracts,
    /// The judgments about the lines of the contracts.
    pub findings: Vec<PolicyFinding>,
    /// The number of files that were read, of both sides.
    pub files_read: usize,
    /// The bounds that were reached, with places.
    pub hits: BTreeMap<String, String>,
    /// The files that could not be read, with reasons.
    pub unreadable: BTreeMap<String, String>,
    /// The code files of the change that were left out, with reasons.
    pub left_out: BTreeMap<String, String>,
    /// The steps of the examination, in order.
    pub steps: Vec<String>,
}

impl Examined {
    /// Returns the number of code files of the change, with the generated ones that were examined for contracts.
    pub fn code_files(&self) -> usize {
        self.targets.len() + self.reached.keys().filter(|path| !self.targets.contains(path)).count()
    }
}

/// The result of one side.
#[derive(Default)]
struct SideFound {
    /// The contracts with the code that they name, if there are any.
    contracts: Option<Contracts>,
    reached: BTreeMap<String, Reached>,
    /// The effects that other code, which the contracts are about, reaches through the change.
    callers: BTreeMap<String, Reached>,
    texts: BTreeMap<String, String>,
    /// The modules with unknown effects that are called, each with a place.
    unknown_modules: BTreeMap<String, String>,
    /// The packages of the changed manifests that the repository itself contains.
    own_packages: BTreeSet<String>,
    read: usize,
    hits: BTreeMap<&'static str, String>,
    unreadable: BTreeMap<String, &'static str>,
    steps: Vec<String>,
    /// The changed files that no reader of code reads.
    others: Vec<OtherFile>,
}

/// Bounds that were hit, each with a place.
type Hits = BTreeMap<String, String>;

/// The files of a change.
#[derive(Default)]
struct ChangedFiles {
    /// The code files and manifests, the most relevant first.
    all: Vec<Changed>,
    /// The code files that are left out, with reasons.
    left_out: BTreeMap<String, String>,
    /// The other files, which are not code by their names.
    others: Vec<OtherFile>,
    /// Whether the change deletes files with code.
    deletes_code: bool,
}

/// The paths of a changed file on both sides.
struct Changed {
    now: Option<String>,
    before: Option<String>,
    /// Whether the file is generated, minified or vendored. It is examined for contracts, and is no part of the comparison.
    is_generated: bool,
}

impl Changed {
    fn of(&self, side: Side) -> &Option<String> {
        if side == Side::New { &self.now } else { &self.before }
    }
}

/// Examines a change. If `stop` returns `true`, the examination ends early and the result says so. `session` finds the files whose facts
/// are not stored. Blocks.
pub fn examine(
    subject: Subject<'_>,
    session: Session,
    knowledge: &Knowledge,
    ask: &Ask,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Examined> {
    let (mut now, mut before) =
        both(|| Ok(Tree::open(subject.files, Side::New)?), || Ok(Tree::open(subject.files, Side::Old)?))?;
    let scripts = scripts(subject, &now, &before);
    let shells = shell_scripts(subject, &now, &before);
    let packages = packages(subject, &now, &before);
    let is_code = |path: &str| {
        scripts.contains_key(path)
            || language_of(path).is_some()
            || Format::of_path(path).is_some() && packages.get(path).is_none_or(|(scripts_differ, _)| *scripts_differ)
            || shells.contains(path)
    };
    let ChangedFiles { all: changed, left_out, mut others, deletes_code } = changed(subject, &is_code);
    // Only the scripts of these are read.
    let partly_read = packages.iter().filter(|(_, (scripts_differ, rest_differs))| *scripts_differ && *rest_differs);
    others.extend(partly_read.map(|(path, _)| OtherFile { path: path.clone(), kind: Kind::Data }));
    let code = |path: &Option<String>| path.clone().filter(|path| is_code(path));
    let manifest = |path: &Option<String>| path.clone().filter(|path| manifest::language(path).is_some());
    let deadline = (ask.bounds.max_runtime_seconds > 0)
        .then(|| Instant::now() + Duration::from_secs(ask.bounds.max_runtime_seconds));
    let expired = || stop() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let facts = Arc::new(FactsCache::new(ask.stored_facts.clone()));
    let targets_of = |side: Side, is_generated: bool| -> Vec<String> {
        let files = changed.iter().filter(|file| file.is_generated == is_generated);
        files.filter_map(|file| code(file.of(side))).collect()
    };
    let targets = |side: Side| targets_of(side, false);
    let (contracts, contract_hits) = match &ask.contracts {
        Some(contracts) => (contracts.clone(), Hits::new()),
        None => contracts_of((&mut now, &mut before), (knowledge, ask.bounds), &expired, &targets)?,
    };
    let look = |side: Side, tree: Tree| -> Result<SideFound> {
        if side == Side::Old && ask.mode == Mode::Now {
            return Ok(SideFound::default());
        }
        // Manifests are only needed for a comparison.
        let compares = ask.mode == Mode::Compare;
        let manifests: Vec<String> =
            changed.iter().filter(|_| compares).filter_map(|file| manifest(file.of(side))).collect();
        let tree = tree.with_facts(Arc::clone(&facts)).with_scripts(scripts.clone());
        // Only contracts are judged by the uses that could not be followed. They take much memory.
        let with_open = side == Side::New && !contracts.effects.is_empty();
        // Contracts about what a change adds need those of the base, too.
        let keeps_open = with_open || side == Side::Old && contracts.are_about_additions();
        let others = if with_open { with_contents(&tree, &others) } else { Vec::new() };
        let mut all = targets(side);
        if keeps_open {
            all.extend(targets_of(side, true));
        }
        let named = keeps_open.then(|| contracts.clone());
        let found = follow(&tree, knowledge, (ask.bounds, &expired), (&all, &manifests), named);
        Ok(SideFound { others, ..found })
    };
    let (now, before) = both(|| look(Side::New, now), || look(Side::Old, before))?;
    facts.store(session);
    let mut examined = Examined { left_out, ..Examined::default() };
    let sides_of = |file: &Changed| -> Option<Sides> {
        match (code(&file.now), code(&file.before)) {
            (Some(path), _) => {
                let before = file.before.as_ref().and_then(|path| before.reached.get(path)).cloned();
                Some(Sides { before, now: now.reached.get(&path)?.clone(), path })
            }
            // Code of a deleted file can be in another file now.
            (None, Some(path)) if file.now.is_none() => {
                Some(Sides { before: before.reached.get(&path).cloned(), path, now: Reached::default() })
            }
            _ => None,
        }
    };
    let mut sides: Vec<Sides> = changed.iter().filter(|file| !file.is_generated).filter_map(sides_of).collect();
    let mut manifests = Vec::new();
    for file in changed.iter().filter(|file| !file.is_generated) {
        examined.targets.extend(code(&file.now));
        // A `Gemfile` is code too.
        if let Some(path) = manifest(&file.now) {
            let text = |side: &SideFound, path: &Option<String>| {
                path.as_ref().and_then(|path| side.texts.get(path)).cloned().unwrap_or_default()
            };
            manifests.push(ManifestSides { before: text(&before, &file.before), now: text(&now, &file.now), path });
        }
    }
    examined.compared = ask.mode == Mode::Compare;
    if examined.compared {
        examined.diff = compare(knowledge, &sides, &manifests);
        examined.diff.packages.retain(|new| !now.own_packages.contains(&new.package.name));
        examined.unknown_modules = now.unknown_modules;
        examined.unknown_modules.retain(|module, _| !before.unknown_modules.contains_key(module));
    }
    examined.contracts = now.contracts.unwrap_or(contracts);
    examined.files_read = now.read + before.read;
    examined.hits = before
        .hits
        .iter()
        .map(|(bound, detail)| ((*bound).to_owned(), format!("before the change: {detail}")))
        .collect();
    examined.hits.extend(contract_hits);
    examined.hits.extend(now.hits.iter().map(|(bound, detail)| ((*bound).to_owned(), detail.clone())));
    examined.unreadable = now.unreadable.iter().map(|(path, reason)| (path.clone(), (*reason).to_owned())).collect();
    examined.steps = now.steps;
    let hits = now.hits.iter().filter(|(bound, _)| !BOUNDS_OF_USES.contains(*bound));
    let hits = hits.map(|(bound, detail)| format!("{bound} was reached: {detail}"));
    let unread = now.unreadable.iter().filter(|(_, reason)| **reason != UNREAD_PARTS);
    let unread = unread.map(|(path, reason)| format!("{path} was not read: {reason}"));
    // A change can declare its own files as generated, so these are examined, and what is left out for another reason proves nothing.
    let is_examined = |path: &str| now.reached.contains_key(path) || now.unreadable.contains_key(path);
    let not_examined = examined.left_out.iter().filter(|(path, _)| !is_test(path) && !is_examined(path));
    let not_examined = not_examined.map(|(path, reason)| format!("{path} was left out: {reason}"));
    let is_broken = |sides: &&ManifestSides| manifest::is_broken(&sides.path, &sides.now);
    let broken = manifests.iter().filter(is_broken).map(|sides| sides.path.clone());
    let unread_manifests = unread_manifests(subject).into_iter().chain(broken).collect();
    // A generated file may not add an effect that a contract forbids.
    sides.extend(changed.iter().filter(|file| file.is_generated).filter_map(sides_of));
    let additions = examined.compared.then(|| Additions::of(knowledge, &sides, &examined.diff, unread_manifests));
    let findings = Findings {
        additions,
        targets: now.reached.iter().map(|(path, reached)| (path.as_str(), reached)).collect(),
        callers: now.callers.iter().map(|(path, reached)| (path.as_str(), reached)).collect(),
        gaps: hits.chain(unread).chain(not_examined).collect(),
        others: now.others,
        deletes_code,
        steps: examined.steps.clone(),
    };
    examined.findings = judge(knowledge, &examined.contracts.effects, &findings);
    examined.reached = now.reached;
    Ok(examined)
}

/// Returns the changed files that list packages and are not read.
fn unread_manifests(Subject { files, plan }: Subject<'_>) -> Vec<String> {
    let changed = plan.order().iter().map(|&index| &files.change.files[index]);
    let paths = changed.filter_map(|file| file.new_path.as_ref().and_then(utf8));
    paths.filter(|path| manifest::is_unread(path)).collect()
}

/// Returns the changed files of packages, and whether their scripts and the rest of them differ. Without another script, such a file is data.
fn packages(Subject { files, plan }: Subject<'_>, now: &Tree, before: &Tree) -> BTreeMap<String, (bool, bool)> {
    let text = |tree: &Tree, path: Option<String>| {
        let bytes = path.and_then(|path| tree.reader().bytes(&path, MAX_BYTES)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let of_file = |&index: &usize| {
        let file = &files.change.files[index];
        let path = file.new_path.as_ref().and_then(utf8);
        let path = path.filter(|path| Format::of_path(path) == Some(Format::Package) && !is_test(path))?;
        let before = text(before, file.old_path.as_ref().and_then(utf8));
        let differences = manifest::differences(&before, &text(now, Some(path.clone())));
        Some((path, differences))
    };
    plan.order().iter().filter_map(of_file).collect()
}

/// Returns the changed files that only their first line tells to be scripts of a shell: `bin/run` with `#!/bin/sh`.
fn shell_scripts(Subject { files, plan }: Subject<'_>, now: &Tree, before: &Tree) -> BTreeSet<String> {
    let mut shells = BTreeSet::new();
    for &index in plan.order() {
        let file = &files.change.files[index];
        for (path, tree) in [(&file.new_path, now), (&file.old_path, before)] {
            let path = path.as_ref().and_then(utf8);
            let path = path.filter(|path| Format::may_tell_in_first_line(path) && language_of(path).is_none());
            shells.extend(path.filter(|path| tree.is_shell_script(path)));
        }
    }
    shells
}

/// Returns the languages of the changed files that only their first line tells: `bin/serve` with `#!/usr/bin/env node`.
fn scripts(Subject { files, plan }: Subject<'_>, now: &Tree, before: &Tree) -> Scripts {
    let may_be_script = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        !name.contains('.') && language_of(path).is_none()
    };
    let mut scripts = Scripts::new();
    for &index in plan.order() {
        let file = &files.change.files[index];
        for (path, tree) in [(&file.new_path, now), (&file.old_path, before)] {
            let path = path.as_ref().and_then(utf8).filter(may_be_script);
            let language = path.as_ref().and_then(|path| tree.language_of_script(path));
            if let (Some(path), Some(language)) = (path, language) {
                scripts.entry(path).or_insert(language);
            }
        }
    }
    scripts
}

/// Sorts the files of a change by what is done with them.
fn changed(Subject { files, plan }: Subject<'_>, is_code: &dyn Fn(&str) -> bool) -> ChangedFiles {
    let mut changed = ChangedFiles::default();
    for &index in plan.order() {
        let file = &files.change.files[index];
        let now = file.new_path.as_ref().and_then(utf8);
        let path = file.path().to_text().into_owned();
        let is_code = is_code(&path);
        let is_manifest = manifest::language(&path).is_some();
        if is_test(&path) {
            changed.others.push(OtherFile { path: path.clone(), kind: kinds::TEST });
            if is_code || is_manifest {
                changed.left_out.insert(path, "a test does not show what the program does".to_owned());
            }
            continue;
        }
        if !is_code {
            let is_submodule = file.new_mode == Some(SUBMODULE_MODE);
            let kind = if is_submodule { kinds::SUBMODULE } else { kinds::kind(&path, b"") };
            match kind {
                Kind::Code(_) | Kind::Sql if now.is_none() => changed.deletes_code = true,
                Kind::Data if now.is_none() => {}
                kind => changed.others.push(OtherFile { path: path.clone(), kind }),
            }
        } else if now.is_none() {
            changed.deletes_code = true;
        }
        if !is_code && !is_manifest {
            continue;
        }
        // Git takes code in UTF-16 for binary. It is read, and a file that is no text is reported.
        let ignored = plan.ignored(index).filter(|ignored| ignored.reason != IgnoreReason::Binary);
        let is_generated = is_code
            && ignored.is_some_and(|ignored| {
                matches!(ignored.reason, IgnoreReason::Generated | IgnoreReason::Minified | IgnoreReason::Vendored)
            });
        if let Some(ignored) = ignored.filter(|_| now.is_some()) {
            changed.left_out.insert(path, ignored.details.clone());
        }
        if ignored.is_none() || is_generated {
            changed.all.push(Changed { now, before: file.old_path.as_ref().and_then(utf8), is_generated });
        }
    }
    changed
}

/// Corrects the kinds of files by their contents: a script can have any name.
fn with_contents(tree: &Tree, others: &[OtherFile]) -> Vec<OtherFile> {
    let with_content = |file: &OtherFile| {
        let kind = match file.kind {
            Kind::Code(_) | kinds::TEST => file.kind,
            _ => tree.reader().bytes(&file.path, MAX_BYTES).map_or(file.kind, |bytes| kinds::kind(&file.path, &bytes)),
        };
        OtherFile { path: file.path.clone(), kind }
    };
    others.iter().map(with_content).collect()
}

/// Returns the contracts that apply, and the bounds that were hit while they were read. Those of the target side apply, so that a change
/// cannot remove its own contract.
fn contracts_of(
    (now, before): (&mut Tree, &mut Tree),
    (knowledge, bounds): (&Knowledge, Bounds),
    expired: &(dyn Fn() -> bool + Sync),
    targets: &(dyn Fn(Side) -> Vec<String> + Sync),
) -> Result<(Contracts, Hits)> {
    // A tree can be sent to another thread, and not be shared.
    let read = |side: Side, tree: &mut Tree| -> Result<(Contracts, Hits)> {
        let project = Project::new(tree, bounds, expired);
        let contracts = crate::contracts::of_side(&project, &targets(side), knowledge);
        let hits = project.hits().into_iter().map(|(bound, detail)| (bound.to_owned(), detail)).collect();
        Ok((contracts, hits))
    };
    let (now, before) = both(|| read(Side::New, now), || read(Side::Old, before))?;
    Ok(if before.0.is_empty() { now } else { before })
}

/// Follows the targets of one side, and finds the code that the contracts name. Leaves out the open uses of each file unless there are any.
fn follow(
    tree: &Tree,
    knowledge: &Knowledge,
    (bounds, expired): (Bounds, &dyn Fn() -> bool),
    (targets, manifests): (&[String], &[String]),
    mut contracts: Option<Contracts>,
) -> SideFound {
    let project = Project::new(tree, bounds, expired);
    let follow = Follow::new(&project, knowledge).with_changed(targets);
    let follow = if contracts.is_some() { follow } else { follow.only_modules() };
    let lines = contracts.as_ref().map(|contracts| contracts.effects.clone()).unwrap_or_default();
    let follow = follow.for_contracts(&lines);
    let are_about_imports = contracts.as_ref().is_some_and(Contracts::are_about_imports);
    let follow = if are_about_imports { follow } else { follow.without_imports() };
    // The targets are read first, so that the files of a chain do not exhaust the bounds before.
    for target in targets {
        project.facts(target);
    }
    let read = |path: &String| Some((path.clone(), project.text(path)?.to_string()));
    let texts: BTreeMap<String, String> = manifests.iter().filter_map(read).collect();
    let own_packages = own_packages(&project, &texts);
    let mut reached = BTreeMap::new();
    let mut unknown_modules = BTreeMap::new();
    for target in targets {
        if let Some(mut found) = follow.file(target) {
            for open in &found.open {
                if let (Some(module), Some(hop)) = (&open.module, open.chain.first()) {
                    unknown_modules.entry(module.clone()).or_insert_with(|| format!("{}:{}", hop.path, hop.line));
                }
            }
            if contracts.is_none() {
                found.open = Vec::new();
            }
            reached.insert(target.clone(), found);
        }
    }
    let mut callers = BTreeMap::new();
    if let Some(contracts) = &mut contracts {
        contracts::locate(contracts, &project, knowledge, &reached);
        callers = contracts::callers(contracts, &project, &follow, &reached);
    }
    SideFound {
        contracts,
        reached,
        callers,
        unknown_modules,
        texts,
        own_packages,
        read: project.files_read(),
        hits: project.hits(),
        unreadable: project.unreadable(),
        steps: project.steps(),
        others: Vec::new(),
    }
}

/// Returns the packages of manifests that are in the repository: in a folder with the package's name that has a manifest of the same
/// kind with its name.
fn own_packages(project: &Project<'_>, texts: &BTreeMap<String, String>) -> BTreeSet<String> {
    if texts.is_empty() {
        return BTreeSet::new();
    }
    let manifests: BTreeSet<(&str, &str, &String)> = project
        .below("")
        .filter(|path| manifest::language(path).is_some())
        .filter_map(|path| {
            let (folders, kind) = path.rsplit_once('/')?;
            Some((folders.rsplit('/').next()?, kind, path))
        })
        .collect();
    let names_package = |text: &str, package: &str| {
        text.lines().any(|line| {
            let value = line.trim().trim_start_matches('"').strip_prefix("name");
            value.is_some_and(|value| value.split(['"', '\'']).any(|part| part == package))
        })
    };
    let is_own = |path: &str, package: &str| {
        let kind = path.rsplit('/').next().unwrap_or(path);
        let folder = package.rsplit('/').next().unwrap_or(package);
        manifests
            .iter()
            .filter(|(name, other, _)| *name == folder && *other == kind)
            .any(|(.., path)| project.text(path).is_some_and(|text| names_package(&text, package)))
    };
    let packages = texts
        .iter()
        .flat_map(|(path, text)| manifest::packages(path, text).into_iter().map(move |package| (path, package.name)));
    packages.filter(|(path, name)| is_own(path, name)).map(|(_, name)| name).collect()
}

/// Runs both functions in parallel, each on a thread with a large stack.
fn both<T: Send>(one: impl FnOnce() -> Result<T> + Send, other: impl FnOnce() -> Result<T> + Send) -> Result<(T, T)> {
    let ended = |error| PolicyError::Ended(Some(error));
    std::thread::scope(|scope| {
        let start = |work| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let one: Box<dyn FnOnce() -> Result<T> + Send> = Box::new(one);
        let other: Box<dyn FnOnce() -> Result<T> + Send> = Box::new(other);
        let (one, other) = (start(one), start(other));
        let one = one.map_err(ended)?.join().map_err(|_| PolicyError::Ended(None))?;
        let other = other.map_err(ended)?.join().map_err(|_| PolicyError::Ended(None))?;
        Ok((one?, other?))
    })
}
