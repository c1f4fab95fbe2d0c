//! Finds the keys that programs give to the clients of services: `SparkPost("…")`, `maps.NewClient("…")`, and below a comment that names a
//! service. The services are data (`config/redaction/commands.toml`).
//!
//! In: a text and the place of the name of a service or of a call that makes a client. Out: spans of strings. Only strings among the
//! arguments are read, and the less the call says, the more random must they be.

use serde::Deserialize;

use super::arguments::{arguments, last_name, open_list, strings};
use super::calls::RULE;
use super::code::{is_long_name, is_reference};
use super::cursor::{indent, line_start};
use super::identifiers::begins_word;
use super::key_words::split;
use super::keyed;
use super::rule::entropy;
use super::span::Span;
use super::types::RedactionReason;
use super::values::{Bare, is_placeholder, is_uuid, looks_random};
use super::words::{WORDS, Worth};

/// The services, and the words of the functions and types that make their clients.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Clients {
    /// The names of services.
    pub(super) services: Vec<String>,
    /// The last words of the names of types that are clients.
    kinds: Vec<String>,
    /// The last words of the names of functions that make a client or give it a key, and the first words of those in `calls`.
    makers: Vec<String>,
    /// The last words of the names of settings of a service that can be keys, beside those that name a secret.
    settings: Vec<String>,
    /// The first words of the names of functions that look up a client, whose argument identifies it.
    readers: Vec<String>,
    /// Calls that make a client of any service, with their parentheses.
    pub(super) calls: Vec<String>,
}

/// The maximum length of a line that is read, and of the head of a section, in bytes.
const MAX_LINE: usize = 400;
const MAX_HEAD: usize = 60;
/// The number of lines below a comment that are read.
const LINES_BELOW: usize = 2;
/// The lengths of a key in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 14..=200;
/// The maximum length in bytes of an expression that names the function of a call.
const MAX_CALLEE: usize = 120;
/// The length of the shortest key that any client is given. The names of customers are shorter.
const MIN_OF_ANY: usize = 20;
/// The least number of digits of a key.
const MIN_DIGITS: usize = 2;
/// The length of the longest run of small letters in a key that does not look random, and in the one that a service certainly is given.
const MAX_LOWER: usize = 5;
const MAX_LOWER_OF_SERVICE: usize = 10;
/// The number of lines of a section that are read.
const MAX_SETTINGS: usize = 6;

impl Clients {
    /// Adds the keys among the arguments of a call whose name, which makes a client, is at `start..end` with its parenthesis.
    pub(super) fn find_in_call(&self, text: &[u8], (start, end): (usize, usize), spans: &mut Vec<Span>) {
        let before = last_name(&text[..start]);
        let name = &text[start - before.len()..end];
        // A client can be a customer: `getClient("…")`, `client("…")`.
        let words = split(name);
        let first = words.iter().next().unwrap_or_default();
        let is_type = name[0].is_ascii_uppercase() && !is_one_of(&self.readers, first);
        if !is_type && !is_one_of(&self.makers, first) {
            return;
        }
        let arguments = arguments(text, end, false);
        let has_address = arguments.iter().any(|&(from, to)| memchr::memmem::find(&text[from..to], b"://").is_some());
        for (from, to) in arguments {
            let [(begun, ended)] = strings(text, from, to)[..] else { continue };
            let value = &text[begun..ended];
            // The checksum of what is at the address.
            let is_checksum = has_address && value.iter().all(u8::is_ascii_hexdigit);
            let is_long = value.len() >= MIN_OF_ANY;
            if is_long
                && looks_random(value)
                && !is_checksum
                && !is_identifier(value)
                && takes_key(&text[from..begun - 1])
            {
                push(begun, ended, spans);
            }
        }
    }

    /// Adds the keys on the line of the name of a service at `start..end`, or on the lines below if the line is a comment. A line is read
    /// once: `read` is the end of the last one.
    pub(super) fn find_on_line(
        &self,
        text: &[u8],
        (start, end): (usize, usize),
        bare: Bare,
        read: &mut usize,
        spans: &mut Vec<Span>,
    ) {
        if start < *read || !begins_word(text, start) {
            return;
        }
        let name = &text[start..end];
        let mut from = line_start(text, start);
        let is_comment = is_comment(&text[from..start]);
        for index in 0..=if is_comment { LINES_BELOW } else { 0 } {
            let to = memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |length| from + length);
            *read = to;
            if to - from > MAX_LINE || index > 0 && text[from..to].trim_ascii().is_empty() {
                break;
            }
            // In source code, such a line begins a type or a function.
            if index == 0 && bare != Bare::Code {
                self.in_section(text, (from, to), name, spans);
            }
            self.in_line(text, (from, to), name, spans);
            from = to + 1;
            if from >= text.len() {
                break;
            }
        }
    }

    /// Adds the keys of a line.
    fn in_line(&self, text: &[u8], (from, to): (usize, usize), name: &[u8], spans: &mut Vec<Span>) {
        let mut at = from;
        while let Some(open) = memchr::memchr2(b'"', b'\'', &text[at..to]).map(|open| at + open) {
            let Some(length) = memchr::memchr(text[open], &text[open + 1..to]) else { return };
            let (begun, ended) = (open + 1, open + 1 + length);
            if LENGTHS.contains(&length) && self.is_key(&text[from..open], &text[begun..ended], name) {
                push(begun, ended, spans);
            }
            at = ended + 1;
        }
    }

    /// Adds the random values of the section whose head is the line at `from..to`, under names that keys can have:
    /// `[pagerduty]`, `pagerduty:`, `provider "pagerduty" {`.
    fn in_section(&self, text: &[u8], (from, to): (usize, usize), name: &[u8], spans: &mut Vec<Span>) {
        let line_at =
            |from: usize| &text[from..memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |end| from + end)];
        let head = &text[from..to];
        let content = head.trim_ascii();
        let is_head = content.starts_with(b"[") && content.ends_with(b"]")
            || content.ends_with(b":")
            || content.ends_with(b"{") && !content.contains(&b'(');
        if !is_head || head.len() > MAX_HEAD {
            return;
        }
        let is_flat = content.starts_with(b"[");
        let mut at = from + head.len() + 1;
        for _ in 0..MAX_SETTINGS {
            if at >= text.len() {
                return;
            }
            let line = line_at(at);
            let is_inside = if is_flat { !line.starts_with(b"[") } else { indent(line) > indent(head) };
            if line.len() > MAX_LINE || !is_inside {
                return;
            }
            if let Some((key, value)) = setting(line)
                && (WORDS.worth(key) != Worth::None
                    || split(key).last().is_some_and(|last| is_one_of(&self.settings, last)))
                && looks_random(value)
                // Names of models and hosts: `claude-3-opus-20240229`.
                && !value.contains(&b'-')
                && !is_checksum(value)
                && !is_identifier(value)
                && !is_placeholder(value)
                && !is_reference(value)
            {
                let start = at + (value.as_ptr() as usize - line.as_ptr() as usize);
                let word = String::from_utf8_lossy(name).into_owned();
                let span = Span::new(start, start + value.len(), keyed::RULE.into());
                spans.push(span.because(RedactionReason::Key { word }));
            }
            at += line.len() + 1;
        }
    }

    /// Returns whether a string is the key of a client, by the text before it on its line.
    fn is_key(&self, before: &[u8], value: &[u8], service: &[u8]) -> bool {
        let Some(list) = open_list(before, b"") else { return false };
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.:\\->$@/".contains(byte);
        let length = before[..list].iter().rev().take(MAX_CALLEE).take_while(is_part).count();
        let path = &before[list - length..list];
        let function = last_name(path);
        let words = split(function);
        let Some(last) = words.last() else { return false };
        let argument = before[list + 1..].rsplit(|byte| *byte == b',').next().unwrap_or_default();
        // `messagebird.New(…)`, and not `stripe.customers.create(…)`
        let parts = path.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').filter(|part| !part.is_empty());
        let of_service = parts.rev().take(2).any(|part| contains(part, service));
        let is_kind = is_one_of(&self.kinds, last);
        // `SparkPost(…)`, and not `SpotifyPlaylist(…)`
        let is_meant = if of_service {
            is_kind || is_one_of(&self.makers, last) || last.len() > 2 && contains(service, last.as_bytes())
        } else {
            let is_type = function[0].is_ascii_uppercase() && function.len() == path.len();
            is_kind && signs(value) <= 1 || is_type && is_named(argument)
        };
        is_meant
            && takes_key(argument)
            && (looks_random(value)
                || could_be_a_key(value, if of_service { MAX_LOWER_OF_SERVICE } else { MAX_LOWER })
                || of_service && is_uuid(value))
            && !is_identifier(value)
            && !is_placeholder(value)
            && !is_reference(value)
            && !is_long_name(value, 3)
    }
}

/// Returns the number of characters of a value that are neither letters nor digits.
fn signs(value: &[u8]) -> usize {
    value.iter().filter(|byte| !byte.is_ascii_alphanumeric()).count()
}

/// Returns the name and the value of a line that assigns one: `integration = "…"`, `oauth: …`.
fn setting(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii();
    let sign = line.iter().position(|byte| b"=:".contains(byte))?;
    let name = line[..sign].trim_ascii();
    let name = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name);
    let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte));
    let value = line[sign + 1..].trim_ascii();
    let value = value.strip_suffix(b",").or_else(|| value.strip_suffix(b";")).unwrap_or(value);
    let quote = value.first().filter(|byte| b"\"'".contains(byte));
    let value = quote.and_then(|quote| value[1..].strip_suffix(&[*quote])).unwrap_or(value);
    is_name.then_some((name, value))
}

/// Returns whether a value has the form of the number of a commit or of a checksum.
fn is_checksum(value: &[u8]) -> bool {
    matches!(value.len(), 40 | 64) && value.iter().all(u8::is_ascii_hexdigit)
}

fn is_one_of(list: &[String], word: &str) -> bool {
    list.iter().any(|known| known == word)
}

/// Returns whether the rest of a line before a name is the mark of a comment.
fn is_comment(before: &[u8]) -> bool {
    let text = before.trim_ascii_start();
    [&b"#"[..], b"//", b";", b"--", b"/*", b"* ", b"<!--"].iter().any(|mark| text.starts_with(mark))
}

/// Returns whether an argument has a name, by the text before its string.
fn is_named(before: &[u8]) -> bool {
    matches!(before.trim_ascii_end().last(), Some(b'=' | b':'))
}

/// Returns whether an argument can be a key, by the text before its string: it has no name, or one of a key.
fn takes_key(before: &[u8]) -> bool {
    let Some(name) = before.trim_ascii_end().strip_suffix(b"=").or(before.trim_ascii_end().strip_suffix(b":")) else {
        return true;
    };
    WORDS.worth(last_name(name.trim_ascii_end())) != Worth::None
}

/// The number of digits of an identifier of MongoDB.
const OBJECT_DIGITS: usize = 24;

/// Returns whether a value identifies an account of Twilio or Plivo or an object, and is no key: `AC0b9c…`, `MAZJ…`, `cus_Kd02…`. The formats
/// of keys with a prefix are known.
fn is_identifier(value: &[u8]) -> bool {
    let is_hex = |value: &[u8]| value.iter().all(u8::is_ascii_hexdigit);
    let prefix = value.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    value.len() == 34 && value.starts_with(b"AC") && is_hex(&value[2..])
        || value.len() == 20
            && value.starts_with(b"MA")
            && value.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        || value.len() == OBJECT_DIGITS && is_hex(value)
        || prefix > 1 && value.get(prefix) == Some(&b'_')
}

/// Returns whether a value that does not look random is no name: it has runs of at most so many small letters.
fn could_be_a_key(value: &[u8], most: usize) -> bool {
    let count = |test: fn(&u8) -> bool| value.iter().filter(|byte| test(byte)).count();
    let longest = value.split(|byte| !byte.is_ascii_lowercase()).map(<[u8]>::len).max().unwrap_or(0);
    let least = if value.iter().all(u8::is_ascii_hexdigit) { 2.8 } else { 3.4 };
    count(u8::is_ascii_digit) >= MIN_DIGITS
        && count(u8::is_ascii_alphabetic) >= MIN_DIGITS
        && signs(value) <= 1
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-_=".contains(byte))
        && longest <= most
        && entropy(value) >= least
}

/// Returns whether an expression has the name of a service, without regard to case and separators.
fn contains(path: &[u8], service: &[u8]) -> bool {
    let plain = |text: &[u8]| -> Vec<u8> {
        text.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
    };
    memchr::memmem::find(&plain(path), &plain(service)).is_some()
}

fn push(from: usize, to: usize, spans: &mut Vec<Span>) {
    spans.push(Span::new(from, to, RULE.into()).because(RedactionReason::CallArgument));
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn keys_of_the_clients_of_services_are_masked() {
        check(
            "a.py",
            &[
                "sp = SparkPost(\"⟦a9b0009e38fd5c8fcd6f9397d551d5b3e3413a6c⟧\")",
                "geocoder = OpenCageGeocode(\"⟦57b71e97acc1bccf7d47054cb1b337f2⟧\")",
                "ts = TimeSeries(key=\"⟦Y0A1FTCTUFLMR2ZW⟧\")  # alpha_vantage",
                "client = Client(\"⟦myyW4SnVpd9FNiOuWOPK4FgeU88xPXHJ⟧\", \"⟦2m0IvSAA1dY52cwoZNqL5fR8ajyfkTGi⟧\")  # binance",
                "# PagerDuty REST\nsession = pdpyras.APISession(\"⟦u+IWu6jSHLVSXSMHnx1O⟧\")",
            ],
        );
        check("a.pl", &["my $c = WebService::Shodan->new(\"⟦UCqHTEgiJ5ssXIDtS5b7iKEg7xlTrKqr⟧\");"]);
        check(
            "a.go",
            &[
                "client := finnhub.NewClient(\"⟦ihul4m9c03wyenpxawzr⟧\")",
                "client := messagebird.New(\"⟦Qp6uXBdiEuBRgB3b4Xg2sRu8i⟧\")",
                "client := ipinfo.NewClient(nil, nil, \"⟦3e2f9bf4c2396a⟧\")",
            ],
        );
        check(
            "a.php",
            &[
                "$translator = new \\DeepL\\Translator('⟦3be9c4cf-c1a2-4122-af26-d4bed28bcdca⟧');",
                "$service = (new SmsapiHttpClient())->smsapiPlService('⟦4Blk0ngitUn45RY20XwfcNh7GNSYvdz3zYrArjXe⟧');",
            ],
        );
        check("a.js", &["const client = new Vimeo(\"8c1f\", \"sec-off\", \"⟦94ac7f4eab4c0c9ff5f3b9053bf18dca⟧\");"]);
    }

    #[test]
    fn other_strings_beside_a_service_stay_readable() {
        check(
            "a.js",
            &[
                "vimeo.getVideo(\"94ac7f4eab4c0c9ff5f3b9053bf18dca\")",
                "expect(messagebird.lastId()).toBe(\"94ac7f4eab4c0c9ff5f3b9053bf18dca\")",
                "new SparkPost(\"https://api.sparkpost.com/api/v1\", \"transactional-mails-2\")",
                "const playlist = new SpotifyPlaylist(\"37i9dQZF1DXcBWIGoYBM5M\");",
                "const zone = cloudflare.newZone(\"94ac7f4eab4c0c9ff5f3b9053bf18dca\");",
                "it('calls Stripe', () => { const api = makeApi(\"fixture-2024-01-17\"); });",
                "// sends to mailgun\nconst m = new Message(\"PT4KHLK9X2Q7ZBV1KLQ9\");",
                "new ObjectId(\"94ac7f4eab4c0c9ff5f3b905\") // of vimeo",
                "new Vimeo({ clientId: \"94ac7f4eab4c0c9ff5f3b9053bf18dca\" })",
                "new Binance(client_id = \"94ac7f4eab4c0c9ff5f3b9053bf18dca\")",
                "const vimeo = load(\"94ac7f4eab4c0c9ff5f3b9053bf18dca\");",
                "const c = stripe.customers.create(\"94ac7f4eab4c0c9ff5f3b9053bf18dca\");",
                "const c = new Stripe(\"acct_1MowQVLkdIwHu7ix\");",
                "// as with stripe\nconst user = createUser(\"94ac7f4eab4c0c9ff5f3b9053bf18dca\");",
                "// as with stripe\nconst user = new User(\"94ac7f4eab4c0c9ff5f3b9053bf18dca\");",
                "// sends by mailgun\n\nconst user = new UserService(\"94ac7f4eab4c0c9ff5f3b9053bf18dca\");",
                "#include \"twilio.h\"\nconst char *version = Service(\"v2.14.7-rc2-20240117\");",
            ],
        );
    }

    #[test]
    fn random_values_in_the_section_of_a_service_are_masked() {
        check(
            "a.yml",
            &[
                "pagerduty:\n  team: ops\n  integration: ⟦7f00acba869e4067092776c694653f7e⟧\nother: 7f00acba869e4067092776c694653f7a",
                "spotify:\n  playlist: 37i9dQZF1DXcBWIGoYBM5M",
                "crowdin:\n  version: 7f00acba869e4067092776c694653f7e\n  image: 7f00acba869e4067092776c694653f7e",
                "crowdin:\n  app-id: 7f00acba869e4067092776c694653f7e\n  ref: 7f00acba869e4067092776c694653f7e11223344",
            ],
        );
        check(
            "a.ini",
            &[
                "[pagerduty]\nintegration = ⟦7f00acba869e4067092776c694653f7e⟧\n[x]\nname = 7f00acba869e4067092776c694653f7a",
            ],
        );
        check("a.tf", &["provider \"fastly\" {\n  api = \"⟦eR2Gjem586FBW1wypMxmmf5Q4RtrcUA5⟧\"\n}"]);
    }

    #[test]
    fn types_and_names_of_models_beside_a_service_stay_readable() {
        check(
            "a.ts",
            &[
                "enum Mailgun {\n  first = '7f00acba869e4067092776c694653f7e',\n}",
                "const cloudflare: Headers = {\n  Ray: '8abc123def456aIAD9q2',\n};",
            ],
        );
        check("a.toml", &["[anthropic]\nopus = \"claude-3-opus-20240229\""]);
    }

    #[test]
    fn keys_of_clients_of_any_service_are_masked() {
        check(
            "a.go",
            &[
                "client := aai.NewClient(\"⟦13675031d800cf361c0c4d637fa92d26⟧\")",
                "mj := mail.NewMailClient(url, \"⟦b7fa7282f10177125a5dd8017d5a39c8⟧\", \"⟦c38ed30c66e17efc9e83675a6c63558a⟧\")",
                "client := GetClient(\"13675031d800cf361c0c4d637fa92d26\")",
                "client := store.client(\"13675031d800cf361c0c4d637fa92d26\")",
                "client := NewClient(\"13675031d800cf361c0c4d63\")",
                "client := NewClient(\"Meier2024GmbH4x9Q\")",
                "client := aai.NewClient(\"0b9c8d7e-6f5a-4132-8190-a7b6c5d4e3f2\", name)",
                "client := NewClient(commit: \"13675031d800cf361c0c4d637fa92d26\")",
                "client := NewClient(\"https://host.example/13675031d800cf361c0c4d637fa92d26\")",
            ],
        );
    }
}
