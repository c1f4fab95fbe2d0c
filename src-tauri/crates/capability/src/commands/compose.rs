//! Reads a compose file of Docker: the images that its services need, the images that it builds, and the commands that run in them.
//!
//! A command runs in the project's image if the service builds it. The programs of another image are not known.

use std::rc::Rc;

use smol_str::SmolStr;

use super::docker::image_name;
use super::shell::{self, Lines};
use super::step::{Step, UNKNOWN};
use super::yaml::{self, Value};
use super::{Commands, Names, folders};
use crate::facts::UnitKind;

/// The maximum number of services of a file that are read.
const MAX_SERVICES: usize = 2000;
/// Keys that give a service more rights than a container has.
const RIGHTS: &[&str] = &["privileged", "cap_add", "devices", "security_opt", "pid", "userns_mode"];

/// Adds the steps of a compose file.
pub(super) fn read(found: &mut Commands, text: &str) {
    let Some(documents) = yaml::parse(text) else {
        found.hides_code = true;
        return;
    };
    for root in &documents {
        let includes = root.get("include");
        for include in includes.map(one_or_more).unwrap_or_default() {
            let paths = include.get("path").unwrap_or(include);
            one_or_more(paths).iter().for_each(|path| file(found, 0, path));
        }
        // The first version of the format has the services at its root.
        let services = root.get("services").map_or_else(|| root.pairs(), |services| services.pairs());
        found.hides_code |= services.len() > MAX_SERVICES;
        for (name, service) in services.iter().take(MAX_SERVICES).filter(|(_, service)| !service.pairs().is_empty()) {
            let unit = found.define(name, UnitKind::Task, (service.line, service.line), 0);
            let mut reader = Reader { found, unit };
            reader.add(Step::Effect("container.start".into(), name.into()), service.line);
            reader.service(service);
        }
    }
}

/// Returns the items of a list, or the value itself.
fn one_or_more(value: &Rc<Value>) -> &[Rc<Value>] {
    if value.items().is_empty() { std::slice::from_ref(value) } else { value.items() }
}

/// Adds another compose file that is a part of this one.
fn file(found: &mut Commands, unit: usize, path: &Value) {
    let Some(name) = path.text() else { return };
    if name.contains(['$', ':']) {
        let reason = format!("`{name}` is not followed: a file of another place is not read");
        return found.add_in(unit, Step::Unread(name.into(), reason.into()), path.line);
    }
    found.include(name, path.line);
}

/// Returns a value in which each variable is a part that is not known: `${TAG:-latest}`.
fn without_variables(text: &str) -> String {
    let mut found = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '$' {
            found.push(char);
            continue;
        }
        match chars.peek() {
            Some('$') => {
                chars.next();
                found.push('$');
            }
            Some('{') => {
                found.push(UNKNOWN);
                chars.by_ref().find(|char| *char == '}');
            }
            _ => {
                found.push(UNKNOWN);
                while chars.next_if(|char| char.is_alphanumeric() || *char == '_').is_some() {}
            }
        }
    }
    found
}

struct Reader<'a> {
    found: &'a mut Commands,
    unit: usize,
}

impl Reader<'_> {
    fn add(&mut self, step: Step, line: u32) {
        self.found.add_in(self.unit, step, line);
    }

    fn service(&mut self, service: &Value) {
        let is_built = service.get("build").is_some();
        if let Some(build) = service.get("build") {
            self.build(build);
        }
        if let Some((value, name)) =
            service.get("image").filter(|_| !is_built).and_then(|value| Some((value, value.text()?)))
        {
            self.add(Step::Image(image_name(&without_variables(name))), value.line);
        }
        for key in ["entrypoint", "command"] {
            if let Some(value) = service.get(key) {
                self.command(value, is_built);
            }
        }
        if let Some(test) = service.get("healthcheck").and_then(|check| check.get("test")) {
            self.command(test, is_built);
        }
        for key in ["post_start", "pre_stop"] {
            for hook in service.get(key).map(|hooks| hooks.items()).unwrap_or_default() {
                if let Some(value) = hook.get("command") {
                    self.command(value, is_built);
                }
            }
        }
        for port in service.get("ports").map(|ports| ports.items()).unwrap_or_default() {
            let parts = ["published", "target"].into_iter().filter_map(|key| port.get(key)?.text());
            let name = port.text().map_or_else(|| parts.collect::<Vec<_>>().join(":"), without_variables);
            self.add(Step::Effect("http.serve".into(), format!("port {name}").into()), port.line);
        }
        for (key, value) in service.pairs() {
            let is_given = !value.items().is_empty() || value.text().is_some_and(|text| text != "false");
            if RIGHTS.contains(&key.as_str()) && is_given {
                self.add(Step::Effect("permission.change".into(), key.into()), value.line);
            }
        }
        if let Some(environment) = service.get("environment") {
            self.found.settings(environment.pairs(), self.unit);
            for item in environment.items() {
                if let Some(pair) = item.text().and_then(|text| text.split_once('=')) {
                    self.found.setting(pair, self.unit, item.line);
                }
            }
        }
        // Without a file, the other service is in this one.
        if let Some(path) = service.get("extends").and_then(|parent| parent.get("file")) {
            file(self.found, self.unit, path);
        }
        for key in ["develop", "provider", "models"] {
            if let Some(value) = service.get(key) {
                self.add(Step::Unread(key.into(), format!("`{key}` of a service is not read").into()), value.line);
            }
        }
    }

    /// Adds the Dockerfile that a service is built with.
    fn build(&mut self, build: &Rc<Value>) {
        let text = |key: &str| build.get(key).and_then(|value| value.text());
        let context = build.text().or_else(|| text("context")).filter(|context| *context != ".").unwrap_or_default();
        if let Some(code) = build.get("dockerfile_inline").and_then(|code| code.text()) {
            return self.found.unread_in(
                self.unit,
                ("dockerfile_inline", code),
                "an inline Dockerfile is not read",
                build.line,
            );
        }
        let dockerfile = text("dockerfile").unwrap_or("Dockerfile");
        let path = folders::in_folder(&without_variables(context), &without_variables(dockerfile));
        let is_remote = context.contains("://") || context.starts_with("git@");
        let step = match is_remote {
            true => Step::Unread(context.into(), "the Dockerfile of another place is not read".into()),
            false => Step::Include(path),
        };
        self.add(step, build.line);
    }

    /// Adds a command that runs in the container: a text, or a list of words.
    fn command(&mut self, value: &Rc<Value>, is_built: bool) {
        let words: Vec<SmolStr> =
            value.items().iter().filter_map(|word| Some(without_variables(word.text()?).into())).collect();
        let code = value.text().map(without_variables).filter(|code| !code.trim().is_empty());
        if words.is_empty() && code.is_none() {
            return;
        }
        let code_or_words = || code.clone().unwrap_or_else(|| words.join(" "));
        if !is_built {
            let code = code_or_words();
            return self.found.unread_in(
                self.unit,
                ("command", &code),
                "the programs of an image are not known",
                value.line,
            );
        }
        match (words.split_first(), code) {
            (Some((first, rest)), _) if first == "CMD" => self.words(rest, value.line),
            (Some((first, rest)), _) if first == "CMD-SHELL" => self.text(&rest.join(" "), value.lines()),
            (Some((first, _)), _) if first == "NONE" => {}
            (Some(_), _) => self.words(&words, value.line),
            (None, Some(code)) => self.text(&code, value.lines()),
            (None, None) => {}
        }
    }

    fn words(&mut self, words: &[SmolStr], line: u32) {
        // Arguments alone are those of the program of the image.
        match words.first() {
            Some(first) if first.starts_with('-') => {
                self.found.unread_in(
                    self.unit,
                    ("command", &words.join(" ")),
                    "the program that gets the arguments is not known",
                    line,
                );
            }
            Some(_) => self.add(Step::command(words.to_vec()), line),
            None => {}
        }
    }

    fn text(&mut self, code: &str, lines: Lines) {
        if code.trim_start().starts_with('-') {
            let (Lines::From(line) | Lines::At(line)) = lines;
            return self.found.unread_in(
                self.unit,
                ("command", code),
                "the program that gets the arguments is not known",
                line,
            );
        }
        let given = Names::new();
        let text =
            shell::Text { given: &given, unit: self.unit, ..shell::Text::new(super::words::in_shell(code), lines) };
        self.found.script(text);
    }
}
