//! Lists the packages in a project's manifests, each with its line. Development dependencies are marked.

use serde_json::Value;

use diffsan_syntax::language::Language;

/// A package in a manifest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    /// The name, in the form that the tables use.
    pub name: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether the package is a development dependency.
    pub dev: bool,
}

/// Returns the language of a manifest by its name, or `None` for other files.
pub fn language(path: &str) -> Option<Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match name {
        "package.json" => Language::JavaScript,
        "pyproject.toml" => Language::Python,
        "go.mod" => Language::Go,
        "Cargo.toml" => Language::Rust,
        "pom.xml" => Language::Java,
        "Gemfile" => Language::Ruby,
        "composer.json" => Language::Php,
        name if name.starts_with("requirements") && name.ends_with(".txt") => Language::Python,
        _ => return None,
    })
}

/// Files that list packages and are not read.
const UNREAD: &[&str] = &[
    "build.gradle",
    "build.gradle.kts",
    "libs.versions.toml",
    "Pipfile",
    "setup.py",
    "setup.cfg",
    "environment.yml",
    "build.sbt",
    "deno.json",
    "deno.jsonc",
    "bower.json",
    "Package.swift",
    "mix.exs",
    "pubspec.yaml",
];

/// Returns whether a file lists packages and is not read, by its name.
pub fn is_unread(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    UNREAD.contains(&name) || name.ends_with(".gemspec") || name.ends_with(".csproj")
}

/// Returns whether the text of a manifest cannot be parsed.
pub fn is_broken(path: &str, text: &str) -> bool {
    match path.rsplit('.').next() {
        Some("json") => serde_json::from_str::<Value>(text).is_err(),
        Some("toml") => text.parse::<toml::Table>().is_err(),
        _ => false,
    }
}

/// Returns whether two texts of a `package.json` have different scripts, and whether anything else in them differs. A text that cannot be
/// parsed differs.
pub fn differences(before: &str, now: &str) -> (bool, bool) {
    let parts = |text: &str| {
        let mut value = serde_json::from_str::<Value>(text).ok()?;
        let scripts = value.as_object_mut()?.remove("scripts");
        Some((scripts, value))
    };
    let Some(now) = parts(now) else { return (true, true) };
    let before = parts(before).unwrap_or_default();
    (before.0 != now.0, before.1 != now.1)
}

/// Returns the packages of a manifest. A manifest that cannot be parsed has none.
pub fn packages(path: &str, text: &str) -> Vec<Package> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut found = match name {
        "package.json" => json(
            text,
            &[
                ("dependencies", false),
                ("optionalDependencies", false),
                ("peerDependencies", false),
                ("devDependencies", true),
            ],
        ),
        "composer.json" => json(text, &[("require", false), ("require-dev", true)]),
        "pyproject.toml" => pyproject(text),
        "Cargo.toml" => cargo(text),
        "go.mod" => go(text),
        "pom.xml" => pom(text),
        "Gemfile" => gemfile(text),
        _ => requirements(text),
    };
    found.sort();
    found.dedup_by(|a, b| a.name == b.name);
    found
}

fn line_of(text: &str, mark: impl Fn(&str) -> bool) -> u32 {
    text.lines().position(mark).map_or(1, |at| u32::try_from(at + 1).unwrap_or(u32::MAX))
}

fn json(text: &str, sections: &[(&str, bool)]) -> Vec<Package> {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let mut found = Vec::new();
    for (section, dev) in sections {
        for name in value.get(*section).and_then(Value::as_object).into_iter().flat_map(|table| table.keys()) {
            if name == "php" || name.starts_with("ext-") {
                continue;
            }
            let line = line_of(text, |line| line.contains(&format!("\"{name}\"")));
            found.push(Package { name: name.clone(), line, dev: *dev });
        }
    }
    found
}

/// Returns the package name of a requirement: `django` for `Django[argon2]>=4`.
fn requirement(text: &str) -> Option<String> {
    let text = text.split(['#', ';']).next().unwrap_or_default().trim();
    if text.is_empty() || text.starts_with('-') || text.contains("://") && !text.contains(" @ ") {
        return None;
    }
    let name: String = text.chars().take_while(|char| char.is_alphanumeric() || "-_.".contains(*char)).collect();
    (!name.is_empty()).then(|| name.to_lowercase().replace('_', "-"))
}

fn requirements(text: &str) -> Vec<Package> {
    let lines = (1u32..).zip(text.lines());
    lines.filter_map(|(line, text)| Some(Package { name: requirement(text)?, line, dev: false })).collect()
}

fn pyproject(text: &str) -> Vec<Package> {
    let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |written: &str, dev: bool| {
        let Some(name) = requirement(written) else { return };
        let line = line_of(text, |line| line.contains(written));
        found.push(Package { name, line, dev });
    };
    let get = |path: &[&str]| {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(table.get(*first)?, |value, key| value.get(key))
    };
    let texts = |value: Option<&toml::Value>| -> Vec<String> {
        let all = value.and_then(toml::Value::as_array).into_iter().flatten();
        all.filter_map(toml::Value::as_str).map(str::to_owned).collect()
    };
    texts(get(&["project", "dependencies"])).iter().for_each(|one| add(one, false));
    for (section, dev) in [(get(&["project", "optional-dependencies"]), false), (get(&["dependency-groups"]), true)] {
        for group in section.and_then(toml::Value::as_table).into_iter().flat_map(|table| table.values()) {
            texts(Some(group)).iter().for_each(|one| add(one, dev));
        }
    }
    for (path, dev) in
        [(&["tool", "poetry", "dependencies"][..], false), (&["tool", "poetry", "dev-dependencies"][..], true)]
    {
        for name in get(path).and_then(toml::Value::as_table).into_iter().flat_map(|table| table.keys()) {
            if name != "python" {
                add(name, dev);
            }
        }
    }
    found
}

fn cargo(text: &str) -> Vec<Package> {
    let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |section: Option<&toml::Value>, dev: bool| {
        for (name, value) in section.and_then(toml::Value::as_table).into_iter().flatten() {
            let real = value.get("package").and_then(toml::Value::as_str).unwrap_or(name);
            let begins = |line: &str| {
                let line = line.trim();
                line.strip_prefix(name.as_str()).is_some_and(|rest| rest.trim_start().starts_with(['=', '.']))
                    || line.ends_with(&format!("dependencies.{name}]"))
            };
            found.push(Package { name: real.to_owned(), line: line_of(text, begins), dev });
        }
    };
    for (key, dev) in [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)] {
        add(table.get(key), dev);
        for target in table.get("target").and_then(toml::Value::as_table).into_iter().flat_map(|table| table.values()) {
            add(target.get(key), dev);
        }
    }
    add(table.get("workspace").and_then(|workspace| workspace.get("dependencies")), false);
    found
}

fn go(text: &str) -> Vec<Package> {
    let mut block = false;
    let mut found = Vec::new();
    for (line, content) in (1u32..).zip(text.lines()) {
        let content = content.split("//").next().unwrap_or_default().trim();
        match content {
            "require (" => block = true,
            ")" => block = false,
            _ => {
                let one = content.strip_prefix("require ").or(block.then_some(content));
                if let Some(name) = one.and_then(|one| one.split_whitespace().next()) {
                    found.push(Package { name: name.to_owned(), line, dev: false });
                }
            }
        }
    }
    found
}

fn pom(text: &str) -> Vec<Package> {
    let inside = |part: &str, tag: &str| {
        let (_, rest) = part.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once("</")?.0.trim().to_owned())
    };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("<dependency>").map(|found| at + found) {
        let end = text[start..].find("</dependency>").map_or(text.len(), |found| start + found);
        let part = &text[start..end];
        if let (Some(group), Some(artifact)) = (inside(part, "groupId"), inside(part, "artifactId")) {
            let line = text[..start].matches('\n').count() + 1;
            let dev = inside(part, "scope").is_some_and(|scope| scope == "test");
            found.push(Package {
                name: format!("{group}:{artifact}"),
                line: u32::try_from(line).unwrap_or(u32::MAX),
                dev,
            });
        }
        at = end;
    }
    found
}

fn gemfile(text: &str) -> Vec<Package> {
    let mut dev = false;
    let mut found = Vec::new();
    for (line, content) in (1u32..).zip(text.lines()) {
        let content = content.trim();
        if content.starts_with("group ") {
            dev = content.contains("test") || content.contains("development");
        } else if content == "end" {
            dev = false;
        } else if let Some(rest) = content.strip_prefix("gem ") {
            let name = rest.trim_matches(['(', ' ']).split(['"', '\'']).nth(1);
            found.extend(name.map(|name| Package { name: name.to_owned(), line, dev }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_the_rest_of_a_package_differ_by_themselves() {
        let text = r#"{"name": "a", "scripts": {"x": "y"}}"#;
        for (now, expected) in [
            (text, (false, false)),
            (r#"{"scripts": {"x": "y"}, "name": "a"}"#, (false, false)),
            (r#"{"name": "a", "scripts": {"x": "z"}}"#, (true, false)),
            (r#"{"name": "a"}"#, (true, false)),
            (r#"{"name": "b", "scripts": {"x": "y"}}"#, (false, true)),
            ("{", (true, true)),
        ] {
            assert_eq!(differences(text, now), expected, "{now}");
        }
        assert_eq!(differences("", text), (true, true));
        assert_eq!(differences("", r#"{"name": "a"}"#), (false, true));
    }

    fn names(path: &str, text: &str) -> Vec<String> {
        packages(path, text)
            .into_iter()
            .map(|package| format!("{}:{}{}", package.name, package.line, if package.dev { " dev" } else { "" }))
            .collect()
    }

    #[test]
    fn each_manifest_names_its_packages() {
        let npm =
            "{\n  \"dependencies\": {\n    \"resend\": \"^3\"\n  },\n  \"devDependencies\": { \"vitest\": \"1\" }\n}";
        assert_eq!(names("a/package.json", npm), ["resend:3", "vitest:5 dev"]);
        assert_eq!(
            names("requirements-dev.txt", "# x\nDjango[argon2]>=4 # web\n-r other.txt\nboto3==1.0\n"),
            ["boto3:4", "django:2"]
        );
        let python = "[project]\ndependencies = [\n  \"requests>=2\",\n]\n[dependency-groups]\ndev = [\"pytest\"]\n[tool.poetry.dependencies]\npython = \"3\"\nstripe = \"1\"\n";
        assert_eq!(names("pyproject.toml", python), ["pytest:6 dev", "requests:3", "stripe:9"]);
        let go = "module x\n\nrequire (\n\tgithub.com/stripe/stripe-go/v76 v76.0.0 // indirect\n)\nrequire golang.org/x/text v0.1.0\n";
        assert_eq!(names("go.mod", go), ["github.com/stripe/stripe-go/v76:4", "golang.org/x/text:6"]);
        let cargo = "[dependencies]\nreqwest = \"0.12\"\nmail = { package = \"lettre\", version = \"1\" }\n[dev-dependencies]\ntempfile = \"3\"\n";
        assert_eq!(names("Cargo.toml", cargo), ["lettre:3", "reqwest:2", "tempfile:5 dev"]);
        let pom = "<dependencies>\n<dependency>\n<groupId>com.stripe</groupId>\n<artifactId>stripe-java</artifactId>\n</dependency>\n</dependencies>";
        assert_eq!(names("pom.xml", pom), ["com.stripe:stripe-java:2"]);
        assert_eq!(
            names("Gemfile", "gem 'stripe', '~> 1'\ngroup :test do\n  gem \"rspec\"\nend\n"),
            ["rspec:3 dev", "stripe:1"]
        );
        assert_eq!(
            names("composer.json", "{\"require\": {\"php\": \"8\",\n\"stripe/stripe-php\": \"1\"}}"),
            ["stripe/stripe-php:2"]
        );
    }

    #[test]
    fn broken_manifests_name_nothing() {
        for name in ["package.json", "pyproject.toml", "Cargo.toml", "pom.xml", "composer.json"] {
            assert_eq!(packages(name, "{ <dependency> [[["), [], "{name}");
        }
    }
}
