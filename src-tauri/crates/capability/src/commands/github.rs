//! Reads a workflow or an action of GitHub: the commands of its steps, the actions and workflows that it uses, and its images.

use std::rc::Rc;

use smol_str::SmolStr;

use super::docker::image_name;
use super::folders;
use super::shell::{self, Lines};
use super::step::{OWN_FOLDER, ROOT, Step};
use super::words::{EXPRESSION, SHELLS};
use super::yaml::{self, Content, Value};
use super::{Commands, Names};

/// The maximum number of steps of a file that are read.
const MAX_STEPS: usize = 5000;

/// Adds the steps of a workflow or an action.
pub(super) fn read(found: &mut Commands, text: &str) {
    let Some(documents) = yaml::parse(text) else {
        found.hides_code = true;
        return;
    };
    let Some(root) = documents.first().filter(|_| documents.len() == 1) else {
        found.hides_code |= documents.len() > 1;
        return;
    };
    let mut reader = Reader { found, given: Names::new(), steps: 0 };
    reader.names(root);
    let defaults = Defaults::default().of(root);
    for (_, job) in root.get("jobs").map(|jobs| jobs.pairs()).unwrap_or_default() {
        reader.job(job, defaults);
    }
    if let Some(runs) = root.get("runs") {
        reader.action(runs);
    }
    secrets(reader.found, root);
}

struct Reader<'a> {
    found: &'a mut Commands,
    /// The variables that the file gives to its scripts.
    given: Names,
    /// The number of steps that were read.
    steps: usize,
}

impl Reader<'_> {
    /// Records the variables of a file, of its jobs and their steps.
    fn names(&mut self, root: &Value) {
        let jobs = root.get("jobs").map(|jobs| jobs.pairs()).unwrap_or_default();
        let jobs = jobs.iter().map(|(_, job)| &**job);
        for part in std::iter::once(root).chain(jobs).chain(root.get("runs").map(|runs| &**runs)) {
            let steps = part.get("steps").map(|steps| steps.items()).unwrap_or_default();
            for holder in std::iter::once(part).chain(steps.iter().map(|step| &**step)).take(MAX_STEPS) {
                let names = holder.get("env").map(|env| env.pairs()).unwrap_or_default();
                self.given.extend(names.iter().map(|(name, _)| name.clone()));
                self.found.settings(names, 0);
            }
        }
    }

    fn job(&mut self, job: &Rc<Value>, defaults: Defaults<'_>) {
        let windows =
            job.get("runs-on").and_then(|on| on.text()).is_some_and(|on| on.to_lowercase().contains("windows"));
        let defaults = defaults.of(job);
        let defaults = Defaults { shell: defaults.shell.or(windows.then_some("pwsh")), ..defaults };
        for image in [job.get("container"), job.get("container").and_then(|container| container.get("image"))] {
            self.image(image);
        }
        for (_, service) in job.get("services").map(|services| services.pairs()).unwrap_or_default() {
            self.image(service.get("image"));
        }
        self.uses(job);
        self.steps(job, defaults);
    }

    /// Adds what an action runs.
    fn action(&mut self, runs: &Value) {
        for key in ["main", "pre", "post"] {
            if let Some((value, file)) = runs.get(key).and_then(|value| Some((value, value.text()?))) {
                let words = vec!["node".into(), format!("./{}", file.trim_start_matches("./")).into()];
                self.found.add(Step::command(words), value.line);
            }
        }
        if let Some((value, image)) = runs.get("image").and_then(|value| Some((value, value.text()?))) {
            let step = match image.strip_prefix("docker://") {
                Some(image) => Step::Image(image_name(image)),
                None => Step::Unread(image.into(), "the Dockerfile of an action is not followed".into()),
            };
            self.found.add(step, value.line);
        }
        self.steps(runs, Defaults::default());
    }

    fn steps(&mut self, holder: &Value, defaults: Defaults<'_>) {
        for step in holder.get("steps").map(|steps| steps.items()).unwrap_or_default() {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                self.found.hides_code = true;
                return;
            }
            self.uses(step);
            let Some((run, text)) = step.get("run").and_then(|run| Some((run, run.text()?))) else { continue };
            let Defaults { shell, folder } = defaults.with(step);
            let shell = shell.unwrap_or("bash");
            let program = shell.split_whitespace().next().unwrap_or_default();
            if !SHELLS.contains(&program.rsplit('/').next().unwrap_or(program)) {
                let reason = format!("a script of `{shell}` is not read");
                self.found.unread(&format!("script of {shell}"), text, &reason, run.line);
                continue;
            }
            let folder = folder.map(folder_of).unwrap_or_default();
            script(self.found, (text, run.lines()), &self.given, folder);
        }
    }

    /// Adds the action or the workflow that a step or a job uses.
    fn uses(&mut self, holder: &Value) {
        let Some((value, uses)) = holder.get("uses").and_then(|value| Some((value, value.text()?))) else { return };
        let line = value.line;
        let name = uses.split('@').next().unwrap_or(uses);
        if let Some(path) = uses.strip_prefix("./").or_else(|| (uses == ".").then_some("")) {
            let path = path.trim_end_matches('/');
            let is_file = path.ends_with(".yml") || path.ends_with(".yaml");
            let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
            let path = if is_file { path.to_owned() } else { format!("{folder}action.yml") };
            return self.found.add(Step::File(path.into()), line);
        }
        if let Some(image) = uses.strip_prefix("docker://") {
            return self.found.add(Step::Image(image_name(image)), line);
        }
        self.found.add(Step::Action(name.into()), line);
        // The code of this action is its argument.
        if name.eq_ignore_ascii_case("actions/github-script") {
            let code = holder.get("with").and_then(|with| with.get("script")).and_then(|code| code.text());
            let reason = "the code in the arguments of an action is not read";
            self.found.unread(name, code.unwrap_or_default(), reason, line);
        }
    }

    fn image(&mut self, image: Option<&Rc<Value>>) {
        if let Some((value, name)) = image.and_then(|value| Some((value, value.text()?))) {
            self.found.add(Step::Image(image_name(&without_expressions(name))), value.line);
        }
    }
}

/// The shell and the folder of scripts, as far as a document sets them.
#[derive(Clone, Copy, Default)]
struct Defaults<'v> {
    shell: Option<&'v str>,
    folder: Option<&'v str>,
}

impl<'v> Defaults<'v> {
    /// Returns these settings with the defaults of a workflow or a job.
    fn of(self, holder: &'v Value) -> Self {
        holder.get("defaults").and_then(|defaults| defaults.get("run")).map_or(self, |run| self.with(run))
    }

    /// Returns these settings with those of a step.
    fn with(self, holder: &'v Value) -> Self {
        let text = |key: &str| holder.get(key).and_then(|value| value.text());
        Self { shell: text("shell").or(self.shell), folder: text("working-directory").or(self.folder) }
    }
}

/// Returns the folder that a document names, which is relative to the root of the repository.
fn folder_of(path: &str) -> SmolStr {
    let path =
        path.replace("${{ github.workspace }}", "").replace("${{ github.action_path }}", &OWN_FOLDER.to_string());
    match path.trim_start_matches('/') {
        path if path.contains('$') => folders::unknown(),
        path if folders::is_fixed(path) => path.into(),
        path => format!("{ROOT}/{path}").into(),
    }
}

/// Adds the commands of a script in a document, with its lines in the file. It starts in a folder.
pub(super) fn script(found: &mut Commands, (text, lines): (&str, Lines), given: &Names, folder: SmolStr) {
    let text = shell::Text { given, folder, ..shell::Text::new(without_expressions(text), lines) };
    shell::read(found, &text);
}

/// Returns a text in which a variable stands for each expression of the service: `${{ matrix.os }}`, `$[[ inputs.name ]]`.
pub(super) fn without_expressions(text: &str) -> String {
    let mut found = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${{").into_iter().chain(rest.find("$[[")).min() {
        let end = if rest[at..].starts_with("${{") { "}}" } else { "]]" };
        let Some(length) = rest[at..].find(end) else { break };
        found.push_str(&rest[..at]);
        found.push_str("${");
        found.push_str(EXPRESSION);
        found.push('}');
        let (inside, behind) = rest[at..].split_at(length + end.len());
        // The lines behind it keep their numbers.
        found.extend(std::iter::repeat_n("\\\n", inside.matches('\n').count()));
        rest = behind;
    }
    found.push_str(rest);
    found
}

/// Adds the secrets that the expressions of a document read.
fn secrets(found: &mut Commands, root: &Rc<Value>) {
    let mut stack = vec![Rc::clone(root)];
    let mut count = 0;
    while let Some(value) = stack.pop() {
        count += 1;
        if count > MAX_STEPS * 10 {
            return;
        }
        match &value.content {
            Content::Scalar(text, _) => {
                for part in text.split("${{").skip(1) {
                    let expression = part.split("}}").next().unwrap_or_default();
                    let Some((_, name)) = expression.split_once("secrets.") else { continue };
                    let length = name.find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(name.len());
                    if length > 0 && !name[..length].eq_ignore_ascii_case("GITHUB_TOKEN") {
                        found.add(Step::Secret(name[..length].into()), value.line);
                    }
                }
            }
            Content::List(items) => stack.extend(items.iter().rev().cloned()),
            Content::Map(pairs) => stack.extend(pairs.iter().rev().map(|(_, value)| Rc::clone(value))),
        }
    }
}
