//! The rules: formats of secrets as data, tried only where one of their keywords occurs.
//!
//! In: the tables of `config/redaction`, which the build script has checked, and the user's patterns. Out: rules, and the search for their
//! keywords.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::RedactError;
use super::calls::Call;
use super::clients::Clients;
use super::formats::{BYTE_SETS, FORMATS, Shape};
use super::keywords::{ByteSet, Keyword, KeywordSearch};
use super::programs::Program;
use super::prose::{self, Noun, Prose};
use super::recovery;
use super::rule::Rule;
use super::words::{self, Words};

/// Adds everything that decides what the built-in rules mask to a digest.
pub(super) fn add_to(digest: &mut Sha256) {
    for format in FORMATS {
        // Fields end with a byte that none of them has.
        for text in [format.name, format.pattern].iter().chain(format.keywords) {
            digest.update(text);
            digest.update([0]);
        }
        digest.update(format.entropy.to_le_bytes());
        digest.update(format.reach.to_le_bytes());
        digest.update([format.shape as u8, u8::from(format.base64), u8::from(format.random)]);
    }
    for source in [&COMMANDS, &words::SOURCE, &prose::SOURCE] {
        digest.update(source.text);
    }
}

/// A file of built-in rules.
#[derive(Clone, Copy)]
pub(super) struct Source {
    /// The path in the source of diffsan.
    pub(super) file: &'static str,
    pub(super) text: &'static str,
}

impl Source {
    /// Reads the tables of the file.
    pub(super) fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, RedactError> {
        toml::from_str(self.text).map_err(|error| self.error(&error))
    }

    /// Returns the error for a file that cannot be used.
    pub(super) fn error(&self, message: &dyn std::fmt::Display) -> RedactError {
        RedactError::Rules { file: self.file, message: message.to_string() }
    }
}

const COMMANDS: Source =
    Source { file: "config/redaction/commands.toml", text: include_str!("../../../../config/redaction/commands.toml") };

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Commands {
    program: Vec<Program>,
    call: Vec<Call>,
    clients: Clients,
}

/// The action for a keyword that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// A rule is tried.
    Rule(usize),
    /// The key around the keyword is read.
    Key,
    /// The key around the keyword is read if the keyword is a whole word of it.
    Word,
    /// The text has a key block that begins or ends here.
    Block,
    /// A command of this program is read.
    Program(usize),
    /// The arguments of a call are read.
    Call(usize),
    /// The arguments of a call that makes a client of a service are read.
    Client,
    /// The line of the name of a service is read.
    Service,
    /// The string that becomes an array of characters is read.
    CharArray,
    /// The numbers that are assigned to the name around the keyword are read.
    Bytes,
    /// The rows of a statement are read.
    Insert,
    /// The rows in an annotation are read.
    Rows,
    /// The sentence around the keyword is read.
    Prose(Noun),
    /// The password behind a user and a slash or colon is read.
    BesideUser,
    /// The lines below a label of a seed or of recovery codes are read.
    Recovery(recovery::Kind),
    /// The passwords of a table with the names of users are read.
    Users,
}

/// All rules, with their keywords.
pub(super) struct Rules {
    pub(super) all: Vec<Rule>,
    pub(super) programs: Vec<Program>,
    pub(super) calls: Vec<Call>,
    pub(super) clients: Clients,
    pub(super) prose: Prose,
    pub(super) keywords: KeywordSearch,
    /// The actions of each keyword, by its index in `keywords`.
    pub(super) actions: Vec<Vec<Action>>,
}

/// Returns the built-in rules, which are loaded once.
pub(super) fn built_in() -> Result<&'static Rules, RedactError> {
    static RULES: OnceLock<Result<Rules, RedactError>> = OnceLock::new();
    RULES.get_or_init(|| load(COMMANDS, words::table()?)).as_ref().map_err(Clone::clone)
}

fn load(commands: Source, words: &Words) -> Result<Rules, RedactError> {
    let mut all = Vec::with_capacity(FORMATS.len());
    let mut keywords = Keywords::default();
    for (index, format) in FORMATS.iter().enumerate() {
        for keyword in format.keywords {
            keywords.add(keyword, Action::Rule(index));
        }
        all.push(Rule::new(format));
    }
    let commands: Commands = commands.read()?;
    for (index, program) in commands.program.iter().enumerate() {
        program.names.iter().for_each(|name| keywords.add(name, Action::Program(index)));
    }
    for (index, call) in commands.call.iter().enumerate() {
        call.keywords().for_each(|name| keywords.add(&name, Action::Call(index)));
    }
    commands.clients.calls.iter().for_each(|call| keywords.add(call, Action::Client));
    commands.clients.services.iter().for_each(|name| keywords.add(name, Action::Service));
    for word in words.endings().flat_map(|word| words::forms(word)) {
        keywords.add(&word, Action::Key);
    }
    for word in words.words().flat_map(|word| words::forms(word)) {
        keywords.add(&word, Action::Word);
    }
    let prose = prose::read()?;
    for (word, noun) in prose.keywords() {
        keywords.add(&word, Action::Prose(noun));
    }
    for (label, kind) in prose.recovery_labels() {
        keywords.add(&label, Action::Recovery(kind));
    }
    for words in prose.users_with_sign() {
        keywords.add(&words, Action::BesideUser);
    }
    for word in words.tables_of_users() {
        keywords.add(word, Action::Users);
    }
    keywords.add(super::calls::CHAR_ARRAY, Action::CharArray);
    for word in super::bytes::KEYWORDS {
        keywords.add(word, Action::Bytes);
    }
    for words in super::inserts::KEYWORDS {
        keywords.add(words, Action::Insert);
    }
    for word in super::tables::ANNOTATIONS {
        keywords.add(word, Action::Rows);
    }
    for mark in super::blocks::MARKS {
        keywords.add(mark, Action::Block);
    }
    let begins: Vec<Vec<ByteSet>> = keywords.actions.iter().map(|actions| begins(actions, &all)).collect();
    let words = keywords.words.into_iter().zip(begins).map(|(text, begins)| Keyword { text, begins });
    let search = KeywordSearch::new(words.collect());
    Ok(Rules {
        all,
        programs: commands.program,
        calls: commands.call,
        clients: commands.clients,
        prose,
        keywords: search,
        actions: keywords.actions,
    })
}

/// The maximum number of first bytes that are tested when a keyword is found. Few bytes decide nearly always.
const MAX_BEGINS: usize = 4;

/// Returns the bytes that a text must begin with so that one of the actions of a keyword can find something. The list is empty if an action
/// does not depend on them.
fn begins(actions: &[Action], rules: &[Rule]) -> Vec<ByteSet> {
    let mut begins: Option<Vec<ByteSet>> = None;
    for action in actions {
        let Action::Rule(index) = *action else { return Vec::new() };
        let rule = &rules[index];
        if rule.format.shape != Shape::Token {
            return Vec::new();
        }
        let head = rule.format.head.iter().take(MAX_BEGINS).map(|set| BYTE_SETS[usize::from(*set)]);
        match &mut begins {
            None => begins = Some(head.collect()),
            Some(begins) => {
                begins.truncate(rule.format.head.len());
                for (all, set) in begins.iter_mut().zip(head) {
                    all.iter_mut().zip(set).for_each(|(all, bits)| *all |= bits);
                }
            }
        }
    }
    begins.unwrap_or_default()
}

#[derive(Default)]
struct Keywords {
    words: Vec<String>,
    actions: Vec<Vec<Action>>,
    places: FxHashMap<String, usize>,
}

impl Keywords {
    fn add(&mut self, word: &str, action: Action) {
        let at = match self.places.get(word) {
            Some(at) => *at,
            None => {
                self.places.insert(word.to_owned(), self.words.len());
                self.words.push(word.to_owned());
                self.actions.push(Vec::new());
                self.words.len() - 1
            }
        };
        if !self.actions[at].contains(&action) {
            self.actions[at].push(action);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_beside_their_identifier() {
        crate::testing::check(
            "notes.txt",
            &[
                "new Api(\"⟦rzp_live_7192BOpueFNxZ5⟧\", \"⟦vXZYKWy56v5P0Bh24v949bRt⟧\")",
                "Client(\"AC0b9c8d7e6f5a41328190a7b6c5d4e3f2\", \"⟦0b9c8d7e6f5a41328190a7b6c5d4e3f3⟧\")",
                "user exporter on >⟦ingwer-roh⟧ ~* +info",
                "secure_link_md5 \"$secure_link_expires$uri ⟦Feder-Kiel-1⟧\";",
                "cache_peer parent.example parent 3128 0 login=filiale:⟦Tinten-Fisch⟧",
                "Backup code: ⟦7195 1043⟧",
                "<apikeys><add key=\"https://nuget.example\" value=\"⟦2QOTJ94o6qUehcrPS5K98G2lx⟧\" /></apikeys>",
                "Recovery codes are shown once. Backup code: see the wiki",
            ],
        );
    }

    #[test]
    fn formats_are_found_by_their_prefix() {
        crate::testing::check(
            "notes.txt",
            &[
                "⟦aio_Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5D⟧",
                "⟦cs_0b9c8d7e6f5a41328190a7b6c5d4e3f20b9c8d7e⟧",
                "⟦FLWSECK-0b9c8d7e6f5a41328190a7b6c5d4e3f2-X⟧",
                "x = \"⟦SEC0a6eb47276a67fb1288d5e2cfe4db3c179440086c0bc1b4ea26af300bb7684ec⟧\"",
                "url: \"https://sepolia.infura.io/v3/⟦7ca86849683028641c486dc839710e49⟧\"",
                "url: \"https://eth-sepolia.g.alchemy.com/v2/⟦aEyz9EjxVAk_npyyvCH6jp6u3p5⟧\"",
                "url: \"https://eth-sepolia.g.alchemy.com/v2/your-alchemy-api-key-goes-here\"",
                "⟦live_Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsA⟧",
                "live_reload_of_the_whole_configuration_file",
                "⟦sdk-0b9c8d7e-6f5a-4132-8190-a7b6c5d4e3f2⟧",
                "⟦re_Kr7Zq2Vw_9Xb4Nc6Mf8Lh1Jt3Gy5DsAeU⟧",
                "const k = \"Basic ⟦Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeUoPiR⟧\";",
                "asana ⟦1/9125365478325238:d16ccd6b9ccc6c4ae12725b8efa9b555⟧",
                "⟦dp.st.dev.Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeUoPiRtYuW⟧",
                "⟦odt_Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeU⟧",
                "⟦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⟧",
                "⟦NRIQ-Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeU⟧",
                "⟦sk_0b9c8d7e6f5a41328190a7b6c5d4e3f20b9c8d7e6f5a4132⟧",
                "Authorization: SSWS ⟦00Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeUoPiRtYuW⟧",
                "https://thingsboard.example/api/v1/⟦kr7zq2vw9xb4nc6mf8lh⟧/telemetry",
                "\"auth.login_with_api_key\", \"params\": [\"⟦8-Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeUoPiRtYuWKr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3⟧\"]",
            ],
        );
    }

    #[test]
    fn logins_by_commands_of_a_protocol_are_masked() {
        crate::testing::check(
            "session.txt",
            &[
                "PASS ⟦Barsch:Eimer:34⟧\nNICK kai\n",
                "> USER kai\n> PASS ⟦Barsch:Eimer:34⟧\n",
                "USER kai\n331 Password required\nPASS ⟦Barsch.Eimer⟧\n",
                "PASS src/app.test.js\nPASS src/page.test.js\n",
                "--- PASS: TestLogin (0.00s)\n",
            ],
        );
        crate::testing::check(
            "login.py",
            &[
                "c.privmsg(\"NickServ\", \"IDENTIFY ⟦Fischotter⟧\")",
                "irc.send('PRIVMSG NickServ :IDENTIFY botty ⟦Fischotter9⟧\\r\\n')",
                "c.privmsg(\"NickServ\", \"IDENTIFY \" + password)",
                "c.privmsg(\"NickServ\", \"IDENTIFY {}\".format(password))",
                "# NickServ asks to identify yourself",
                "sock.send(\"PASS ⟦Barsch:Eimer:34⟧\\r\\n\")",
                "irc.send(\"PASS %s\\r\\n\" % password)",
                "print(\"PASS login:34\")",
            ],
        );
        crate::testing::check(
            "a.md",
            &["Then `/msg NickServ identify ⟦Fischotter9⟧`.", "Then `/msg NickServ identify <password>`."],
        );
        crate::testing::check("login.sh", &["echo \"PASS ⟦Barsch:Eimer:34⟧\" | nc irc.host.example 6667"]);
    }

    #[test]
    fn a_table_that_cannot_be_read_is_named() {
        let words = words::table().expect("words");
        let Err(error) = load(Source { text: "[[program]]\n", ..COMMANDS }, words) else {
            panic!("the table was read")
        };
        let message = error.to_string();
        assert!(message.contains("commands.toml") && message.contains("names"), "{message}");
    }
}
