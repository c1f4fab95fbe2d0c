//! Owners of files by a `CODEOWNERS` file.
//!
//! In: the text of the file. Out: the owners of a path. The rules are GitLab's, which include those of GitHub:
//! sections, default owners of a section, exclusions. Lines that are not valid are skipped, as GitLab does.

use globset::{GlobBuilder, GlobMatcher};

/// The paths of the file in a repository. The first one that exists is used.
pub const OWNERS_FILES: &[&str] = &["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS", ".github/CODEOWNERS"];

/// The rules of a `CODEOWNERS` file.
#[derive(Clone, Debug, Default)]
pub struct Owners {
    sections: Vec<Section>,
}

/// The rules below one or several headings with the same name.
#[derive(Clone, Debug, Default)]
struct Section {
    /// The name in lower case. Empty for the rules above the first heading.
    name: String,
    defaults: Vec<String>,
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    pattern: GlobMatcher,
    excludes: bool,
    owners: Vec<String>,
}

impl Owners {
    /// Parses the text of a `CODEOWNERS` file.
    pub fn parse(text: &str) -> Self {
        let mut sections = vec![Section::default()];
        let mut current = 0;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some((name, defaults)) = heading(line) {
                current = sections.iter().position(|section| section.name == name).unwrap_or_else(|| {
                    sections.push(Section { name, ..Section::default() });
                    sections.len() - 1
                });
                // Owners of an earlier heading with the same name do not apply to the rules below this one.
                sections[current].defaults = defaults;
            } else {
                let rule = rule(line, &sections[current].defaults);
                sections[current].rules.extend(rule);
            }
        }
        Self { sections }
    }

    /// Returns the owners of a path, without duplicates. In each section, the last matching rule decides.
    pub fn of(&self, path: &str) -> Vec<&str> {
        let path = format!("/{path}");
        let mut found: Vec<&str> = Vec::new();
        for section in &self.sections {
            let mut matching = section.rules.iter().filter(|rule| rule.pattern.is_match(&path));
            if matching.clone().any(|rule| rule.excludes) {
                continue;
            }
            for owner in matching.next_back().iter().flat_map(|rule| &rule.owners) {
                if !found.contains(&owner.as_str()) {
                    found.push(owner);
                }
            }
        }
        found
    }
}

/// Parses a heading such as `^[Database][2] @dba`. Returns the name in lower case, and the default owners.
fn heading(line: &str) -> Option<(String, Vec<String>)> {
    let inner = line.strip_prefix('^').unwrap_or(line).strip_prefix('[')?;
    let (name, rest) = inner.split_once(']')?;
    let name = name.trim().to_lowercase();
    if name.is_empty() {
        return None;
    }
    // The number of required approvals.
    let rest = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((number, rest)) if number.trim().parse::<u32>().is_ok() => rest,
        Some(_) => return None,
        None => rest,
    };
    // Without a space, it is a pattern such as `[ab]*.rs`.
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| (name, owners(rest)))
}

fn rule(line: &str, defaults: &[String]) -> Option<Rule> {
    let (excludes, line) = match line.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (pattern, rest) = split_pattern(line);
    let own = owners(rest);
    Some(Rule { pattern: matcher(&pattern)?, excludes, owners: if own.is_empty() { defaults.to_vec() } else { own } })
}

/// Splits a line at the first space without a backslash. Returns the pattern without these backslashes.
fn split_pattern(line: &str) -> (String, &str) {
    let mut pattern = String::new();
    let mut chars = line.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' if chars.peek().is_some_and(|(_, next)| next.is_whitespace() || *next == '#') => {
                pattern.extend(chars.next().map(|(_, next)| next));
            }
            char if char.is_whitespace() => return (pattern, &line[at..]),
            char => pattern.push(char),
        }
    }
    (pattern, "")
}

/// Returns the owners in a text: `@user`, `@group/subgroup`, `@@role`, and email addresses. A `#` begins a comment.
fn owners(text: &str) -> Vec<String> {
    text.split_whitespace()
        .take_while(|word| !word.starts_with('#'))
        .filter(|word| word.trim_matches('@').contains(|char: char| char != '@') && word.contains('@'))
        .map(str::to_owned)
        .collect()
}

/// Compiles a pattern with GitLab's meaning. A pattern that does not begin with `/` matches at every depth.
fn matcher(pattern: &str) -> Option<GlobMatcher> {
    if pattern.is_empty() {
        return None;
    }
    let mut glob = if pattern.starts_with('/') { pattern.to_owned() } else { format!("/**/{pattern}") };
    if glob.ends_with('/') {
        glob.push_str("**/*");
    } else if glob.ends_with("/**") {
        // A final `**` matches one level, like `*`.
        glob.pop();
    }
    let glob = GlobBuilder::new(&glob).literal_separator(true).backslash_escape(true).build().ok()?;
    Some(glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::Owners;

    fn check(file: &str, expected: &[(&str, &str)]) {
        let owners = Owners::parse(file);
        for (path, wanted) in expected {
            assert_eq!(owners.of(path).join(" "), *wanted, "{path}");
        }
    }

    #[test]
    fn the_last_matching_pattern_decides() {
        check(
            "# all\n* @all\n*.rb @ruby # backend\n/docs/ @docs\nlib/ @lib\nREADME.md\n/config/**/*.rb @config a@b.example",
            &[
                ("main.c", "@all"),
                (".hidden/file", "@all"),
                ("app/a.rb", "@ruby"),
                ("docs/deep/a.md", "@docs"),
                ("other/docs/a.md", "@all"),
                ("lib/a.c", "@lib"),
                ("app/lib/deep/a.c", "@lib"),
                ("sub/README.md", ""),
                ("config/deep/a.rb", "@config a@b.example"),
                ("config/a.rb", "@config a@b.example"),
            ],
        );
    }

    #[test]
    fn each_section_has_owners_of_its_own() {
        check(
            "* @all\n\n[Docs] @writers\n*.md\n/api/ @api @writers\n\n^[Database][2] @dba\nschema.sql\nmodel.md @model\n[DOCS]\nlast.md @last",
            &[
                ("a.c", "@all"),
                ("a.md", "@all @writers"),
                ("api/a.c", "@all @api @writers"),
                ("db/schema.sql", "@all @dba"),
                ("model.md", "@all @writers @model"),
                ("last.md", "@all @last"),
            ],
        );
    }

    #[test]
    fn exclusions_win_in_their_section() {
        check(
            "* @all\n!*.lock\n[Rust] @rust\n*.rs\n!/vendor/**/*\n",
            &[("a.lock", ""), ("a.rs", "@all @rust"), ("vendor/deep/a.rs", "@all"), ("vendor/a.rs", "@all")],
        );
    }

    #[test]
    fn spaces_marks_and_invalid_lines() {
        check(
            "path\\ with\\ spaces/ @space\n\\#odd.txt @hash\n[Unclosed @x\n[a-c]*.txt @set\n/one @@developer @\n{bad @bad",
            &[
                ("path with spaces/a", "@space"),
                ("#odd.txt", "@hash"),
                ("b1.txt", "@set"),
                ("one", "@@developer"),
                ("one/two", ""),
                ("{bad", ""),
            ],
        );
    }

    #[test]
    fn a_star_does_not_cross_folders() {
        check(
            "/docs/* @one\n/deep/** @two",
            &[("docs/a", "@one"), ("docs/b/a", ""), ("deep/a", "@two"), ("deep/b/a", "")],
        );
    }
}
