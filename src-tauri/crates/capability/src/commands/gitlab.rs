//! Reads a pipeline of GitLab: the scripts and the images of its jobs, and the files that it includes.

use std::rc::Rc;

use smol_str::SmolStr;

use super::docker::image_name;
use super::folders;
use super::github::{script, without_expressions};
use super::shell::Lines;
use super::step::Step;
use super::yaml::{self, Content, Value};
use super::{Commands, Names};

/// The maximum number of lists and texts of scripts that are read.
const MAX_PARTS: usize = 20_000;
/// The maximum nesting of lists in a script, which GitLab also has.
const MAX_DEPTH: usize = 10;
/// The keys with scripts.
const SCRIPTS: &[&str] = &["before_script", "script", "after_script", "pre_get_sources_script"];
/// The keys of a file that are no jobs.
const NO_JOBS: &[&str] = &["stages", "variables", "workflow", "spec", "include"];

/// Adds the steps of a pipeline.
pub(super) fn read(found: &mut Commands, text: &str) {
    let Some(documents) = yaml::parse(text) else {
        found.hides_code = true;
        return;
    };
    let mut reader = Reader { found, given: Names::new(), jobs: Names::new(), folder: SmolStr::default(), parts: 0 };
    for root in &documents {
        reader.jobs.extend(root.pairs().iter().map(|(name, _)| name.clone()));
        let jobs = || root.pairs().iter().filter(|(key, _)| !NO_JOBS.contains(&key.as_str())).map(|(_, job)| &**job);
        for holder in std::iter::once(&**root).chain(jobs()) {
            let names = holder.get("variables").map(|variables| variables.pairs()).unwrap_or_default();
            reader.given.extend(names.iter().map(|(name, _)| name.clone()));
            reader.found.settings(names, 0);
            // The scripts of a job run in one shell, one after the other.
            if holder.get("before_script").is_some_and(|script| changes_folder(script, MAX_DEPTH)) {
                reader.folder = folders::unknown();
            }
        }
        reader.include(root.get("include"));
        reader.holder(root);
        for job in jobs() {
            reader.job(job);
        }
    }
}

/// Returns whether a script mentions a command that changes the folder.
fn changes_folder(script: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    let is_change = |word: &str| ["cd", "pushd", "popd", "chdir"].contains(&word);
    script.text().is_some_and(|text| text.split(|char: char| !char.is_alphanumeric()).any(is_change))
        || script.items().iter().any(|item| changes_folder(item, depth))
}

struct Reader<'a> {
    found: &'a mut Commands,
    /// The variables that the file gives to its scripts.
    given: Names,
    /// The names of the jobs of the file.
    jobs: Names,
    /// The folder in which the scripts of jobs start.
    folder: SmolStr,
    parts: usize,
}

impl Reader<'_> {
    fn job(&mut self, job: &Value) {
        self.holder(job);
        if let Some(hooks) = job.get("hooks") {
            self.holder(hooks);
        }
        if let Some(trigger) = job.get("trigger") {
            self.include(trigger.get("include"));
        }
        if let Some(steps) = job.get("run") {
            self.unread("run", "the steps of a job are not read", steps.line);
        }
        let Some(extends) = job.get("extends") else { return };
        let parents = if extends.items().is_empty() { std::slice::from_ref(extends) } else { extends.items() };
        for parent in parents.iter().filter_map(|parent| parent.text()) {
            if self.jobs.contains(parent) {
                continue;
            }
            self.unread(parent, "the job is defined in another file", extends.line);
        }
    }

    /// Adds the scripts and images of a job, or of the defaults of all jobs.
    fn holder(&mut self, holder: &Value) {
        for key in SCRIPTS {
            if let Some(value) = holder.get(key) {
                let folder = if *key == "script" { self.folder.clone() } else { SmolStr::default() };
                self.scripts(value, &folder);
            }
        }
        let services = holder.get("services").map(|services| services.items()).unwrap_or_default();
        for image in holder.get("image").into_iter().chain(services) {
            let name = image.text().map(|name| (image.line, name));
            let name = name.or_else(|| image.get("name").and_then(|name| Some((name.line, name.text()?))));
            if let Some((line, name)) = name {
                self.found.add(Step::Image(image_name(&without_expressions(name))), line);
            }
        }
    }

    /// Adds the commands of a script. The texts of a list run in one shell, so those in the lines of the file are read as one.
    fn scripts(&mut self, value: &Rc<Value>, folder: &SmolStr) {
        let mut texts = Vec::new();
        self.texts(value, MAX_DEPTH, folder, &mut texts);
        let mut code = String::new();
        let mut lines = None;
        for (text, first, last) in texts {
            match lines {
                // A line behind the one before: the texts have their places in one script.
                Some((from, to)) if first > to => {
                    code.extend(std::iter::repeat_n('\n', (first - to) as usize));
                    lines = Some((from, last));
                }
                Some((from, _)) => {
                    script(self.found, (&code, Lines::From(from)), &self.given, folder.clone());
                    code.clear();
                    lines = Some((first, last));
                }
                None => lines = Some((first, last)),
            }
            code.push_str(&text);
        }
        if let Some((from, _)) = lines {
            script(self.found, (&code, Lines::From(from)), &self.given, folder.clone());
        }
    }

    /// Adds the texts of a script, each with its first and last line in the file.
    fn texts(&mut self, value: &Rc<Value>, depth: usize, folder: &SmolStr, texts: &mut Vec<(String, u32, u32)>) {
        self.parts += 1;
        let Some(depth) = depth.checked_sub(1).filter(|_| self.parts <= MAX_PARTS) else {
            self.found.hides_code = true;
            return;
        };
        match &value.content {
            // The script of another job is read there.
            Content::List(items) if value.tag.as_deref() == Some("reference") => {
                let name = items.first().and_then(|name| name.text());
                if let Some(name) = name.filter(|name| !self.jobs.contains(*name)) {
                    self.unread(name, "scripts of other jobs are not followed", value.line);
                }
            }
            Content::List(items) => items.iter().for_each(|item| self.texts(item, depth, folder, texts)),
            Content::Scalar(text, keeps_lines) => {
                let text = text.trim_end();
                let count = u32::try_from(text.matches('\n').count()).unwrap_or(0);
                match keeps_lines {
                    true => texts.push((text.to_owned(), value.line, value.line.saturating_add(count))),
                    // Only a text of one line is at its place.
                    false if count == 0 => texts.push((text.to_owned(), value.line, value.line)),
                    false => script(self.found, (text, Lines::At(value.line)), &self.given, folder.clone()),
                }
            }
            Content::Map(_) => {}
        }
    }

    /// Adds the files that a pipeline includes.
    fn include(&mut self, include: Option<&Rc<Value>>) {
        let Some(include) = include else { return };
        let all = if include.items().is_empty() { std::slice::from_ref(include) } else { include.items() };
        for one in all {
            let local = one.get("local").and_then(|local| local.text());
            let is_local = |path: &&str| !path.contains("://") && !path.contains(['*', '$']);
            match local.or_else(|| one.text()).filter(is_local) {
                Some(path) => {
                    let path = path.trim_start_matches("./").trim_start_matches('/');
                    self.found.add(Step::File(path.into()), one.line);
                }
                None => {
                    let mut name = one.pairs().iter().filter_map(|(_, value)| value.text());
                    let name = one.text().or_else(|| name.next()).unwrap_or("include").to_owned();
                    self.unread(&name, "an included file of another place is not read", one.line);
                }
            }
        }
    }

    fn unread(&mut self, name: &str, reason: &str, line: u32) {
        let reason = format!("`{name}` is not followed: {reason}");
        self.found.add(Step::Unread(name.into(), SmolStr::new(reason)), line);
    }
}
