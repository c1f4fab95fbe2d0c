//! Contracts: statements with their modals, effects and places, and the code that they are about.

use serde::{Deserialize, Serialize};

use crate::code_names::CodeName;

/// The strength of a statement in a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Modal {
    #[serde(rename = "MUST")]
    Must,
    #[serde(rename = "MUST NOT")]
    MustNot,
    #[serde(rename = "SHALL")]
    Shall,
    #[serde(rename = "SHALL NOT")]
    ShallNot,
    #[serde(rename = "SHOULD")]
    Should,
    #[serde(rename = "SHOULD NOT")]
    ShouldNot,
    #[serde(rename = "MAY")]
    May,
    #[serde(rename = "MAY NOT")]
    MayNot,
}

impl Modal {
    /// The longer names come first, so that `MUST NOT` is not parsed as `MUST`.
    const ALL: [(&'static str, Self); 8] = [
        ("MUST NOT", Self::MustNot),
        ("SHALL NOT", Self::ShallNot),
        ("SHOULD NOT", Self::ShouldNot),
        ("MAY NOT", Self::MayNot),
        ("MUST", Self::Must),
        ("SHALL", Self::Shall),
        ("SHOULD", Self::Should),
        ("MAY", Self::May),
    ];

    /// Returns the modal's words, for example `MUST NOT`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, modal)| *modal == self).map_or("MUST", |(name, _)| name)
    }

    /// Returns whether the modal forbids the effect.
    pub fn forbids(self) -> bool {
        matches!(self, Self::MustNot | Self::ShallNot | Self::ShouldNot | Self::MayNot)
    }

    /// Returns the modal that forbids what this one demands or allows. Returns `None` for one that forbids.
    pub(crate) fn negated(self) -> Option<Self> {
        match self {
            Self::Must | Self::May => Some(Self::MustNot),
            Self::Shall => Some(Self::ShallNot),
            Self::Should => Some(Self::ShouldNot),
            Self::MustNot | Self::ShallNot | Self::ShouldNot | Self::MayNot => None,
        }
    }

    /// Returns whether the modal demands the effect.
    pub fn demands(self) -> bool {
        matches!(self, Self::Must | Self::Shall | Self::Should)
    }

    /// Returns whether the modal only advises.
    pub fn advises(self) -> bool {
        matches!(self, Self::Should | Self::ShouldNot)
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_uppercase().replace(['_', '-'], " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, modal)| *modal)
    }
}

/// One statement of a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContractEffect {
    /// The strength of the statement.
    pub modal: Modal,
    /// The action, for example `send`.
    pub action: String,
    /// The resource of the action, for example `email`.
    pub resource: String,
    /// The path of the contract's file.
    pub path: String,
    /// The line of the statement, from 1.
    pub line: u32,
    /// Globs of the files that the statement applies to. Empty means all files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// The code that the statement is about, as it names it. Empty means all code.
    #[serde(skip)]
    pub subjects: Vec<CodeName>,
    /// The code that the statement does not hold for.
    #[serde(skip)]
    pub exceptions: Vec<CodeName>,
    /// The modules that must not be imported, if the statement is about imports and not about effects.
    #[serde(skip)]
    pub imports: Vec<CodeName>,
    /// The statement as it is written. Empty where it has no sentence.
    #[serde(skip)]
    pub sentence: String,
    /// Whether the statement forbids the endpoints that do not have the methods of HTTP that it names.
    #[serde(skip)]
    pub is_about_other_methods: bool,
    /// Whether the statement is only about what its code does itself, not through other code.
    #[serde(skip)]
    pub is_direct: bool,
    /// Whether the statement is about what a change adds, not about all that the code does.
    #[serde(skip)]
    pub is_about_additions: bool,
    /// Whether it compares the things that code uses with those of before the change: "files that were not read before".
    #[serde(skip)]
    pub compares_things: bool,
    /// The extent to which the statement is understood.
    #[serde(skip)]
    pub reading: Reading,
}

/// The extent to which a statement is understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// It has a modal, an action and a resource.
    #[default]
    Statement,
    /// It stands where a statement is expected, and is none. Whether code complies with it is not known.
    NotUnderstood,
}

impl ContractEffect {
    /// Returns the statement as text: `MUST NOT send email`.
    pub fn text(&self) -> String {
        match self.sentence.as_str() {
            "" => format!("{} {} {}", self.modal.name(), self.action, self.resource),
            sentence => sentence.to_owned(),
        }
    }
}

/// A line of a contract that cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContractWarning {
    /// The path of the contract's file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// A description of the problem.
    pub message: String,
}

/// The parsed contents of contracts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Contracts {
    /// The statements, in the order of the files.
    pub effects: Vec<ContractEffect>,
    /// The lines that cannot be checked.
    pub warnings: Vec<ContractWarning>,
    /// The files that are no contract. What they demand is not known, so nothing complies with them. They are among the warnings, too.
    #[serde(skip)]
    pub unreadable: Vec<ContractWarning>,
    /// The number of sentences that tell what to do, but not what code may do. They are no contract.
    #[serde(skip)]
    pub guidelines: usize,
}

impl Contracts {
    /// Appends the contents of another file.
    pub fn add(&mut self, other: Self) {
        self.effects.extend(other.effects);
        self.warnings.extend(other.warnings);
        self.unreadable.extend(other.unreadable);
        self.guidelines += other.guidelines;
    }

    /// Returns whether a statement is about what a change adds, so that its base is needed.
    pub fn are_about_additions(&self) -> bool {
        self.effects.iter().any(|effect| effect.is_about_additions)
    }

    /// Returns whether a statement is about imports.
    pub fn are_about_imports(&self) -> bool {
        self.effects.iter().any(|effect| !effect.imports.is_empty())
    }

    /// Returns whether there is neither a statement nor a file that should have some.
    pub fn is_empty(&self) -> bool {
        self.effects.is_empty() && self.unreadable.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::parse;
    use crate::vocabulary::Vocabulary;

    /// The statements and the warnings, each with its line.
    type Read = (Vec<(String, u32)>, Vec<(u32, String)>);

    fn read(path: &str, text: &str) -> Read {
        let contracts = parse(path, text, &Vocabulary::load().expect("tables"));
        (
            contracts.effects.iter().map(|effect| (effect.text(), effect.line)).collect(),
            contracts.warnings.into_iter().map(|warning| (warning.line, warning.message)).collect(),
        )
    }

    #[test]
    fn a_block_in_markdown_is_read_line_by_line() {
        let text = "# Refunds\n\n<capabilities>\n- MUST NOT send email\n- MAY write to files.\n- logs things\n* The job SHOULD NOT use the network\n</capabilities>\n\nMUST be nice\n";
        let (effects, warnings) = read("README.md", text);
        let wanted = [
            ("MUST NOT send email", 4),
            ("MAY write to files", 5),
            ("logs things", 6),
            ("The job SHOULD NOT use the network", 7),
        ];
        assert_eq!(effects, wanted.map(|(text, line)| (text.to_owned(), line)));
        assert_eq!(warnings, []);
    }

    #[test]
    fn toml_has_sentences_and_tables_with_paths() {
        let text = "effects = [\n  \"MUST_NOT run processes\",\n]\n\n[[contract]]\npaths = [\"jobs/**\"]\neffects = [{ modal = \"SHALL NOT\", action = \"send\", resource = \"email\" }, \"just hope\"]\n";
        let contracts = parse("contracts.toml", text, &Vocabulary::load().expect("tables"));
        assert_eq!(contracts.effects.len(), 3, "{contracts:?}");
        assert_eq!((contracts.effects[0].text().as_str(), contracts.effects[0].line), ("MUST_NOT run processes", 2));
        assert_eq!(
            (contracts.effects[1].line, contracts.effects[1].scope.as_slice()),
            (7, &["jobs/**".to_owned()][..])
        );
        assert_eq!((contracts.effects[2].reading, contracts.effects[2].line), (Reading::NotUnderstood, 7));
    }

    #[test]
    fn json_is_a_list_of_modal_action_and_resource() {
        let text = "[\n {\"modal\": \"MUST_NOT\", \"action\": \"send\", \"resource\": \"email\"},\n {\"action\": \"log\", \"resource\": \"data\"}\n]";
        let (effects, warnings) = read("ir.json", text);
        assert_eq!(effects, [("MUST NOT send email".to_owned(), 2), ("log data".to_owned(), 3)]);
        assert_eq!(warnings, []);
    }

    #[test]
    fn unreadable_contracts_are_reported_with_their_line() {
        assert_eq!(read("contracts.toml", "effects = [\n\"x\n").1[0].0, 2);
        assert_eq!(read("a.json", "{\n\n").0, []);
        assert_eq!(read("a.json", "{\n\n").1.len(), 1);
    }

    #[test]
    fn every_modal_is_known() {
        for (name, modal) in Modal::ALL {
            let (effects, _) = read("x.md", &format!("<capabilities>\n{name} send email\n</capabilities>"));
            assert_eq!(effects, [(format!("{} send email", modal.name()), 2)]);
        }
    }

    #[test]
    fn an_example_in_a_code_fence_is_ignored() {
        assert_eq!(read("x.md", "```\n<capabilities>\nMUST NOT send email\n</capabilities>\n```\n").0, []);
    }

    /// Returns the statements of a contract that a user names: the modal, the action and the resource, or `?` and the sentence.
    fn named(text: &str) -> Vec<String> {
        let vocabulary = Vocabulary::load().expect("tables");
        let contracts = parse("CONTRACT.md", text, &vocabulary);
        let one = |effect: &ContractEffect| match effect.reading {
            Reading::NotUnderstood => format!("{}? {}", effect.line, effect.text()),
            _ => format!("{} {} {} {}", effect.line, effect.modal.name(), effect.action, effect.resource),
        };
        contracts.effects.iter().map(one).collect()
    }

    #[test]
    fn a_name_at_the_start_of_a_sentence_keeps_its_marks() {
        let vocabulary = Vocabulary::load().expect("tables");
        let shown = |text: &str| parse("CONTRACT.md", text, &vocabulary).effects[0].text();
        assert_eq!(shown("`kill` must not delete files."), "`kill` must not delete files");
        assert_eq!(shown("<capabilities>\n`MUST NOT delete files`\n</capabilities>"), "MUST NOT delete files");
    }

    #[test]
    fn sentences_with_a_subject_are_statements() {
        for (text, wanted) in [
            ("This code must not make network requests.", &["1 MUST NOT make network requests"][..]),
            ("The parser never writes files.", &["1 MUST NOT writes files"]),
            (
                "- Jobs may not send mail\n- jobs shall not run programs",
                &["1 MAY NOT send mail", "2 SHALL NOT run programs"],
            ),
            ("Workers should never open sockets", &["1 SHOULD NOT open sockets"]),
            ("It is not allowed to use the network.", &["1 MUST NOT use network"]),
            ("No network access.", &["1 MUST NOT use network access"]),
            ("There must be no database access.", &["1 MUST NOT use database access"]),
            ("The tool doesn't read files.", &["1 MUST NOT read files"]),
            ("Files must not be deleted by jobs.", &["1 MUST NOT deleted files"]),
            ("Sending email is forbidden.", &["1 MUST NOT sending email"]),
            ("The app must make no HTTP requests.", &["1 MUST NOT make http requests"]),
            ("It must work without network access.", &["1 MUST NOT use network access"]),
            (
                "## Forbidden\n\n- sending email\n- shell commands",
                &["3 MUST NOT sending email", "4 MUST NOT shell commands"],
            ),
            ("The job must not:\n- send email\n- run programs", &["2 MUST NOT send email", "3 MUST NOT run programs"]),
            ("The parser must not write\nfiles.", &["1 MUST NOT write files"]),
            ("must not write files\nmust not send email", &["1 MUST NOT write files", "2 MUST NOT send email"]),
            (
                "Uploads must not be kept: this code must not write files, and must not send email.",
                &["1 MUST NOT write files", "1 MUST NOT send email"],
            ),
            ("| Parser | must not write files |\n|---|---|", &["1 MUST NOT write files"]),
        ] {
            assert_eq!(named(text), wanted, "{text}");
        }
    }

    #[test]
    fn prose_is_no_statement_and_a_rule_that_is_not_understood_is_named() {
        for (text, wanted) in [
            ("# Why\n\nLast year a job sent mail. That must never happen again.", &[][..]),
            ("You must be patient. It does not matter. This cannot fail.", &[]),
            ("If the disk is full, you should retry.", &[]),
            ("The parser must not frobnicate blobs.", &[]),
            ("Only the mailer must send email.", &["1 MUST NOT send email"]),
            ("# Rules\n\n- Handlers must only read files", &["3? Handlers must only read files"]),
        ] {
            let found = named(text);
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn advice_in_a_long_text_is_counted_and_not_judged() {
        let text = "# Guide\n\nAll changes need to:\n\n- be thoughtful about files and secrets of others\n- have tests\n\n\
            Do not send patches by email. The tests must pass.\n\n```bash\n# must not read files\nmust not send email\n```\n\n\
            Passing tests do not justify more code, and do not rely on the behaviour of requests that the documentation of the service \
            does not promise to its users.\n\n`core/` must not read files.\n";
        let contracts = parse("AGENTS.md", text, &Vocabulary::load().expect("tables"));
        let listed: Vec<(String, u32)> = contracts.effects.iter().map(|effect| (effect.text(), effect.line)).collect();
        assert_eq!(listed, [("`core/` must not read files".to_owned(), 17)]);
        assert!(contracts.guidelines >= 3, "{}", contracts.guidelines);
        let block = format!("<capabilities>\n{text}\n</capabilities>");
        let contracts = parse("AGENTS.md", &block, &Vocabulary::load().expect("tables"));
        assert_eq!(contracts.guidelines, 0);
    }
}
