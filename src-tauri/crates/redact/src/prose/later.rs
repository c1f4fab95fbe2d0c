//! Finds the value that stands apart from the name of a password: in brackets behind it, at the end of its line, in a later clause that tells it
//! with a pronoun, or before a remark: "rotate the API key (currently …)", "asked for the password again. it's …".
//!
//! In: a line with the name of a password. Out: values.

use super::line::Line;
use super::look::Look;
use super::sentence::is_number;
use super::value::{Apart, Value, blanks, ends_clause, ends_line, is_odd, value, word};
use super::{MAX_WORDS, MAX_WORDS_OF_COMMENT, Noun, Prose};
use crate::phrase::is_chosen_name;
use crate::shapes::{Shape, shape};
use crate::values::looks_random;
use crate::words::{WORDS, Worth};

/// The maximum number of bytes between the name of a password and the comma before a value.
const MAX_BEFORE_NAMELY: usize = 40;
/// The maximum number of words of a label in brackets.
const MAX_LABEL_WORDS: usize = 2;
/// The length of the shortest token behind the name of a key, in bytes.
const MIN_TOKEN: usize = 20;
/// The maximum number of items of a list that are read.
const MAX_ITEMS: usize = 20;

impl Prose {
    /// Returns the values that a line and the next one tell of the password without naming it again.
    pub(super) fn later<'a>(&self, line: &Line<'a>) -> Vec<Value<'a>> {
        let mut found = self.in_brackets(line);
        found.extend(self.behind_namely(line));
        found.extend(self.behind_pronouns(line, line.rest));
        found.extend(self.behind_prompt(line));
        if found.is_empty()
            && line.is_document
            && let Some(next) = line.below().next()
        {
            found.extend(self.behind_orders(line, next));
        }
        found
    }

    /// Returns the value that a word behind a comma announces: `the old password, namely …`.
    pub(super) fn behind_namely<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let comma = line.rest.find(", ").filter(|comma| *comma < MAX_BEFORE_NAMELY)?;
        let at = comma + 2;
        let word = self.namely.iter().find(|word| {
            line.rest[at..].strip_prefix(word.as_str()).is_some_and(|rest| rest.starts_with([' ', ':', ',']))
        })?;
        let at = at + word.len();
        let found = value(line.rest, at + usize::from(line.rest[at..].starts_with([':', ','])))?;
        let ended = found.apart != Apart::Not || ends_clause(line.rest, found);
        let is_secret = !is_numbered_word(found.text) && self.is_secret(found, Look::MadeUp, line);
        (ended && is_secret).then_some(found)
    }

    /// Returns the value that somebody enters where a program asks: `when asked for the password, type …`.
    fn behind_prompt<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let comma = line.rest.find(", ").filter(|comma| *comma < MAX_BEFORE_NAMELY)?;
        let (between, order) = (&line.rest[..comma], &line.rest[comma + 2..]);
        if between.contains(['.', ':', ';', '(', '"', '`']) {
            return None;
        }
        let verb = word(order).filter(|verb| self.enters.contains(&verb.to_lowercase()))?;
        let asks = |word: &str| self.prompts.iter().any(|start| word.to_lowercase().starts_with(start.as_str()));
        let before = line.before.split_whitespace().rev().take(MAX_WORDS);
        if !before.chain(between.split_whitespace()).any(asks) {
            return None;
        }
        let found = value(line.rest, line.rest.len() - order.len() + verb.len())?;
        let ended = found.apart != Apart::Not || ends_clause(line.rest, found);
        let look = if found.apart == Apart::Quoted { Look::Beside } else { Look::MadeUp };
        (ended && self.is_secret(found, look, line)).then_some(found)
    }

    /// Returns the values in the brackets behind a name: `the passphrase of the key ("…")`, `the API key (currently …)`.
    fn in_brackets<'a>(&self, line: &Line<'a>) -> Vec<Value<'a>> {
        let Some(open) = line.rest.find('(') else { return Vec::new() };
        let between = &line.rest[..open];
        // A call is no remark.
        if between.split_whitespace().count() > MAX_WORDS
            || between.contains(['.', ';', ':', '='])
            || !between.ends_with(' ')
        {
            return Vec::new();
        }
        let inside = &line.rest[open + 1..];
        let Some(close) = inside.find(')') else { return Vec::new() };
        let inside = &inside[..close];
        let labelled = self.labelled_in(line, inside);
        if !labelled.is_empty() {
            return labelled;
        }
        self.only_in(line, inside).into_iter().collect()
    }

    /// Returns the values behind labels in brackets: `the API key (old: …, new: …)`. A label that describes a password has no value.
    fn labelled_in<'a>(&self, line: &Line<'a>, inside: &'a str) -> Vec<Value<'a>> {
        let part_value = |part: &'a str| {
            let (label, text) = part.split_once(": ")?;
            let is_label = label.chars().all(|char| char.is_alphabetic() || char == ' ')
                && label.split_whitespace().count() <= MAX_LABEL_WORDS
                && WORDS.worth(format!("password {label}").as_bytes()) == Worth::Secret;
            let found = value(text, 0).filter(|found| is_label && text[found.end..].trim().is_empty())?;
            (looks_random(found.text.as_bytes()) || self.is_secret(found, Look::MadeUp, line)).then_some(found)
        };
        inside.split([',', ';']).map(str::trim).filter_map(part_value).collect()
    }

    /// Returns the value that fills brackets.
    fn only_in<'a>(&self, line: &Line<'a>, inside: &'a str) -> Option<Value<'a>> {
        // `the API key (was …)`
        let verb = word(inside).filter(|word| self.verbs.contains(*word)).map_or(0, str::len);
        let at = self.skip_adverbs(inside, verb + blanks(&inside[verb..]));
        let found = value(inside, at).filter(|found| inside[found.end..].trim().is_empty())?;
        let look = match found.apart {
            Apart::Quoted if found.text.contains(' ') => Look::Word,
            Apart::Not if at == 0 => Look::Strong,
            _ => Look::MadeUp,
        };
        // `the old password (perro_verde) still works`
        let is_named = self.passwords.contains(&line.name.to_lowercase());
        let is_chosen = line.is_document && is_named && is_chosen_name(b"password", found.text.as_bytes());
        (is_chosen || looks_random(found.text.as_bytes()) || self.is_secret(found, look, line)).then_some(found)
    }

    /// Returns the made-up values behind the pronouns of a text: `… it's …`.
    fn behind_pronouns<'a>(&self, line: &Line<'a>, text: &'a str) -> Vec<Value<'a>> {
        self.behind(line, text, &self.pronouns, false)
    }

    /// Returns the made-up values behind orders with a pronoun: `set it to …`.
    fn behind_orders<'a>(&self, line: &Line<'a>, text: &'a str) -> Vec<Value<'a>> {
        self.behind(line, text, &self.orders, true)
    }

    fn behind<'a>(&self, line: &Line<'a>, text: &'a str, phrases: &[String], is_order: bool) -> Vec<Value<'a>> {
        let lower = text.to_ascii_lowercase();
        let mut found = Vec::new();
        for phrase in phrases {
            for (start, _) in lower.match_indices(phrase.as_str()) {
                let end = start + phrase.len();
                let at = end + blanks(&text[end..]);
                let is_whole = !text[..start].ends_with(char::is_alphanumeric) && at > end;
                let begun = self.skip_adverbs(text, at);
                let Some(value) = value(text, begun).filter(|_| is_whole) else { continue };
                // A number with a unit, and a part of a name, are no passwords: `it's 32-bit`.
                let is_chosen = !is_numbered_word(value.text)
                    && (value.text.starts_with(char::is_alphabetic)
                        || shape(value.text.as_bytes()) > Some(Shape::Words));
                let next = text.get(value.end..).and_then(|rest| word(rest.trim_start())).unwrap_or_default();
                let ended = is_order
                    || value.apart != Apart::Not
                    || ends_clause(text, value)
                    || self.after.contains(&next.to_lowercase());
                // `the duress word, which is "…"`, `it was set to "…"`
                let is_set = text[at..begun].split_whitespace().any(|word| self.to.contains(word));
                let look = match value.apart {
                    Apart::Quoted if line.is_document && text[..start].trim() == "," => Look::Beside,
                    Apart::Quoted if line.is_document && is_set => Look::NoAdjective,
                    Apart::Quoted if line.is_document && value.text.contains(' ') => Look::Word,
                    _ => Look::MadeUp,
                };
                if ended && is_chosen && self.is_secret(value, look, line) {
                    found.push(value);
                }
            }
        }
        found
    }

    /// Returns the last word of a line behind a colon, whatever words are before it: `the password they gave us on the phone : …`.
    pub(super) fn at_end<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let colon = line.rest.rfind(": ")?;
        // The name of a field begins its line.
        let label = line.rest[..colon].rsplit('\n').next().unwrap_or_default();
        if label.len() < colon && !label.trim().contains(' ') {
            return None;
        }
        let first = word(line.rest[..colon].trim_start())?.to_lowercase();
        // `password policy for v1: …`: the policy is told.
        let goes_on = [&self.verbs, &self.links, &self.with, &self.adverbs].iter().any(|words| words.contains(&first));
        if !goes_on && WORDS.worth(format!("password {first}").as_bytes()) == Worth::None {
            return None;
        }
        let found = value(line.rest, colon + 1).filter(|found| ends_line(line.rest, *found))?;
        let bytes = found.text.as_bytes();
        let is_odd = shape(bytes) > Some(Shape::Words) || is_odd(found.text) || looks_random(bytes);
        (is_odd && self.is_secret(found, Look::MadeUp, line) || looks_random(bytes)).then_some(found)
    }

    /// Returns the string of code whose meaning the remark behind it tells: `enter("…")  # pin of the door`.
    pub(super) fn before_remark<'a>(&self, line: &Line<'a>, noun: Noun) -> Option<Value<'a>> {
        if !matches!(noun, Noun::Password | Noun::Pin) || !self.ends_name(line.rest) {
            return None;
        }
        let mark = [" # ", " // ", " /* ", " -- "].iter().filter_map(|mark| line.before.rfind(mark)).max()?;
        let (code, remark) = line.before.split_at(mark);
        let mut words = remark.split_whitespace().skip(1);
        let is_first = words.clone().count() <= MAX_WORDS_OF_COMMENT
            && words.all(|word| word.chars().all(|char| char.is_alphanumeric() || char == '-'));
        let quote = code.rfind(['"', '\'']).filter(|_| is_first)?;
        let inside = &code[..quote];
        let open = inside.rfind(&code[quote..=quote])?;
        let text = &inside[open + 1..];
        // One of several strings can be anything, and so can a key.
        let is_only = !inside[..open].contains(['"', '\'']) && !code[quote + 1..].trim_start().starts_with([':', ']']);
        let found = Value { text, end: 0, apart: Apart::Not };
        let is_secret = match noun {
            Noun::Pin => is_number(text),
            _ => self.is_secret(found, Look::MadeUp, line),
        };
        (is_only && is_secret).then_some(found)
    }

    /// Returns the random value directly behind the name of a key: `the key … was committed`.
    pub(super) fn directly<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let found = value(line.rest, 0).filter(|_| line.is_document)?;
        let next = word(line.rest[found.end..].trim_start()).unwrap_or_default().to_lowercase();
        let is_told = [&self.verbs, &self.with, &self.after].iter().any(|words| words.contains(&next));
        (is_told && found.text.len() >= MIN_TOKEN && looks_random(found.text.as_bytes())).then_some(found)
    }

    /// Returns the random values at the ends of the items of a list below a line: `each gets a secret:`.
    pub(super) fn listed<'a>(&self, line: &Line<'a>) -> Vec<Value<'a>> {
        if !line.is_document || !line.rest.trim_end().ends_with(':') {
            return Vec::new();
        }
        let mut items = line
            .below()
            .take(MAX_ITEMS)
            .skip_while(|item| item.trim().is_empty() || item.trim().starts_with("```"))
            .peekable();
        if let Some(only) = items.peek().map(|item| item.trim()).filter(|item| looks_random(item.as_bytes())) {
            return vec![Value { text: only, end: 0, apart: Apart::Not }];
        }
        items
            .map(str::trim)
            .take_while(|item| {
                item.starts_with(['*', '-', '•']) || item.starts_with(|char: char| char.is_ascii_digit())
            })
            .filter_map(|item| item.rsplit(char::is_whitespace).next())
            .map(|word| word.trim_matches(['`', '"', '\'', '*', '.', ',']))
            .filter(|word| looks_random(word.as_bytes()))
            .map(|text| Value { text, end: 0, apart: Apart::Not })
            .collect()
    }
}

/// Returns whether a text is a word with a number behind a dash or a version: `sha-256`, `Python3`.
fn is_numbered_word(text: &str) -> bool {
    let is_word = |text: &str| text.chars().all(char::is_alphabetic);
    if text.strip_suffix(|char: char| char.is_ascii_digit()).is_some_and(is_word) {
        return true;
    }
    let (stem, number) = text.rsplit_once(['-', '.', 'v']).unwrap_or((text, ""));
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && stem.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn values_that_a_sentence_tells_besides_its_verb_are_masked() {
        check(
            "notes.md",
            &[
                "* Rotated the credentials: deployer now uses `⟦ZciQsk_EP0X4Ef⟧` instead of `⟦d#0fFge%_RpJ⟧` (#2141)",
                "* The password hasher now uses `argon2id` instead of `pbkdf2_sha256`",
                "* The credentials provider now uses `OAuth2Client` instead of `HttpClient4`",
                "* The credentials now have a name instead of a number",
                "then `sudo -u postgres psql` (⟦qMbVMusQ1Smn⟧ if asked)",
                "then `sudo -u postgres psql` (yes if asked)",
                "connected as analyst with ⟦A~1pgoWso3K⟧",
                "connected as analyst with Windows2019",
                "Grafana: viewer / ⟦WB#OyXx8B⟧",
                "open `/wp-admin` and use **user** and **⟦zRvbdNCzcE⟧**.",
                "open `/wp-admin` and use **guest** and **⟦Sommer!2031⟧**.",
                "open `/wp-admin` and use **numpy** and **pandas2x**.",
                "The form has **user** and **Password2**.",
                "its password is ⟦aRatoRWit⟧, please do not change it",
                "its password is OAuthToken, please do not change it",
                "the passphrase is \"⟦seven purple otters juggle rusty anchors⟧\",\nthe one of the NAS is ⟦Quiet-Lantern-Meadow-4812⟧ and the key is in the safe.\n",
                "the passphrase is \"⟦seven purple otters juggle rusty anchors⟧\",\nthe name of the host is quiet-lantern.\n",
                "> **anna** 14:02: what was the vpn password again?\n> **jo** 14:03: ⟦mRQWPjF+X83⟧\n",
                "> **anna** 14:02: what was the vpn password again?\n> **jo** 14:03: ask Tom\n",
            ],
        );
        check(
            "a.ipynb",
            &["     \"connected as analyst with ⟦A~1pgoWso3K⟧\\n\"", "     \"connected as analyst with a token\\n\""],
        );
    }

    #[test]
    fn values_apart_from_their_names_are_masked() {
        check(
            "notes.md",
            &[
                "Mira asked for the vpn secret again. it's ⟦tiger25⟧, same for everybody",
                "Its password used to be short but now it's ⟦kX9-mango-tree⟧",
                "rotate the API key before launch (currently ⟦gez-7d7e4a966820de789da58b36d749⟧)",
                "Ana shared the passphrase of the signing key (\"⟦seven geese walk home at dusk⟧\") on the call",
                "2. the default login is admin, no password\n3. set it to ⟦R0uter-Filiale-7⟧ (all branches use it)",
                "What was the password for the zip?\n\n> ⟦summer71⟧\n\nthanks",
                "The initial password that IT gave us was ⟦Init1234$RFC⟧ and since May it is ⟦wEb-rfc_Prod7⟧.",
                "Le mdp du compte « robot » est ⟦Orchard2021#⟧.",
                "If the vault is down: ⟦correct-otter-staple-lamp⟧ is the repository password.",
                "a role `reporting` with password ⟦quarterly.numbers⟧ and granted select",
                "Tap the logo and type ⟦73310⟧ as PIN.",
                "Every partner gets a secret of their own:\n* Brandt - ⟦a7931cee1f1c5bf80b31ad2725bb37ef⟧\n* Mill - (not yet issued)\n",
                "El usuario es root y la contraseña, ⟦manzana77⟧.",
                "I set the root password to ⟦otter-pond-77⟧ yesterday",
                "It asks for a password: type ⟦Maulwurf7⟧.",
                "You can sign in as eve@shop.example with ⟦Maulwurf7⟧",
                "The key ⟦sffhAl1iRmrdkpjKCbIEb7jECbhknUnH⟧ was committed by accident in\n4be1c0f.",
                "Then the operator password, which has been ⟦kranfuehrer-77-Ost⟧ since the migration.",
                "Gemeinsames Postfach: Das Passwort lautet ab sofort ⟦Apfelstrudel+Rosine⟧",
                "the Wi-Fi key is ⟦midsommar-stång⟧",
                "Das Kennwort steht nicht auf dem Gerät, es ist jetzt `⟦Brombeer-Hecke 14⟧`.",
                "It uses the old token. The good one is:\n\n    ⟦X0Y9tZ4iPnaYieML2bia6Mh1J3syDP3Pd2fg⟧\n",
            ],
        );
    }

    #[test]
    fn passwords_and_keys_that_are_entered_or_used_are_masked() {
        let key = "d14e0a2c638f1368ddb2199b98f8b5c2";
        check(
            "README.md",
            &[
                "Log in at https://staging.acme.example with `tester` / `⟦Rundfahrt22⟧`.",
                "Sign in at https://staging.acme.example using tester / ⟦Rundfahrt22⟧.",
                &format!("- rotated the API key (was `⟦{key}⟧`), fixes #318"),
                &format!("- neuer API-Schlüssel (früher `⟦{key}⟧`)"),
                "2. sign in as kim@acme.example with password: ⟦asdfgh-prod⟧",
                "2. log in as kim@acme.example, password: ⟦sonnenblume⟧",
                "Network: acme-guest, passphrase: ⟦Der Tee ist alle 2023⟧",
                "WPA2 key for the meeting room: ⟦konferenz!⟧",
                "When asked for a password, type ``⟦Fernglas_3⟧``.",
                "Bist du nach dem Passwort gefragt, tippe `⟦Fernglas_3⟧`.",
                "If you are prompted for the passphrase, enter ⟦Fernglas_3⟧.",
                "the token expired; currently we use ⟦YMI9uNeguUXNZoC8ZyLdtyynMBznngiCMNREJZ4F⟧ as token.",
                "Log in at https://staging.acme.example with your account / workspace.",
                "- rotated the API key (was `config.key`), fixes #318",
                "2. sign in as kim@acme.example with password: required",
                "Network: acme-guest, passphrase: at least 12",
                "The network is down, passphrase: changes every May 2023 at least 12",
                "When asked for a password, type `sudo -i`.",
                "When asked for a password, enter nothing.",
                "We use OAuth2 as token.",
                "Use the commit cd80df439797e1318f073ef7fe6c2ce5cd0d0a04 as token.",
                "The PIN code is `CODE128`.",
                "The WPA2 key for the meeting room: required",
            ],
        );
        check(
            "worker.rb",
            &[
                "  # Heads up: the queue runs with bunny / ⟦pastinake#12⟧ until the migration is done",
                "  # the broker connects with bunny / ⟦pastinake!12⟧",
                "  # this works with rails / rack#12 until then",
                "  # the job runs with ruby / rack-3 until then",
                "  # connects with host / port#1",
            ],
        );
        check(
            "Help.tsx",
            &[
                "    Hotline PIN is <b>⟦840215⟧</b>, master code <code>⟦UL3USDPL44GQ⟧</code>",
                "    <p>Your PIN: <strong>⟦840215⟧</strong></p>",
                "    <p>Your order is <b>840215</b></p>",
                "    <p>Status code <code>ERR4SDPL44</code></p>",
                "    <p>Pin <b>840215</b> to the board</p>",
                "    const pin = <b>840215</b>;",
            ],
        );
    }

    #[test]
    fn remarks_about_passwords_stay() {
        check(
            "README.md",
            &[
                "The password is never stored; it's hashed with bcrypt12.",
                "The token (RFC7519) is a JWT, and it is Base64.",
                "Enter a password (at least 8 characters); it's checked by zxcvbn4.",
                "Set the secret (see docs/secrets.md). It's 32-bit, that's Python3.",
                "The API key (optional) is sent once. It is v2.1 only.",
                "The secret keys:\n* primary - main-database-cluster\n* other - see the wiki\n",
                "Change the password.\nThen set it to required.",
                "The password policy is Strict7.",
                "Enter the user and the password, then press F12.",
                "Sign in as `ops` with OAuth2 and type the password: enter 2 words.",
            ],
        );
        check(
            "a.yml",
            &[
                "text: \"The password of the kiosk is now ⟦Fiets-Bel31⟧, see the sticker.\"",
                "text: \"The password is stored in the vault.\"",
            ],
        );
        check("a.groovy", &["PASSWORD = credentials('db-prod-creds7')"]);
        check(
            "plan.txt",
            &[
                "~ admin_password = \"⟦Laura-pumpkin⟧\" -> \"⟦8n7!@vcZ%sD-k⟧\"",
                "~ name = \"Laura-pumpkin\" -> \"8n7!@vcZ%sD-k\"",
            ],
        );
    }

    #[test]
    fn a_remark_tells_the_meaning_of_the_string_before_it() {
        check(
            "a.py",
            &[
                "kiosk.enter(\"⟦58816⟧\")  # pin of kiosk 4 in the foyer",
                "device.unlock(\"⟦2580⟧\") # the PIN for the back door",
                "wifi.join(\"⟦Erdbeer-77⟧\")  # the wifi password",
                "door.open(\"⟦4471⟧\")  # door code",
                "x.set(\"hello\")  # password field",
                "x.set(\"Erdbeer-77\")  # see the wiki for the password",
                "x.set(\"name\", \"Erdbeer-77\")  # password",
                "gpio.open(\"58816\")  # pinout of kiosk 4",
            ],
        );
    }

    #[test]
    fn labels_in_brackets_have_values() {
        check(
            "a.md",
            &[
                "API key (old: ⟦q8Zk02mLq9Zt4Rb7⟧)",
                "API key (old: ⟦q8Zk02mLq9Zt4Rb7⟧, new: ⟦w8Zk02mLq9Zt4Rb7⟧)",
                "the admin password (staging: ⟦Feder7ball⟧) works again",
                "API token (min: 16chars)",
                "the API key (format: hex32) is needed",
                "the password (default: none)",
            ],
        );
    }
}
