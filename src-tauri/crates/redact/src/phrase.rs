//! Recognises passwords of several words: `Pommes_rot_weiss`, `rum-kugel`, `drei graue Esel 7`. They have the form of names in code and of
//! sentences, and are told from these by their words (`config/redaction/words.toml`) and by a key that certainly names a password.

use super::code::{humps, is_wordy};
use super::key_words::split;
use super::values::Bare;
use super::words::{WORDS, Worth};

/// The lengths of a passphrase in words.
const WORDS_OF_A_PHRASE: std::ops::RangeInclusive<usize> = 2..=8;
/// The lengths in words of one with dashes.
const WORDS_OF_A_KEBAB: std::ops::RangeInclusive<usize> = 4..=8;
/// The maximum length of a word of a passphrase in bytes.
const LONGEST_WORD: usize = 20;
/// A shorter word tells nothing in a value of several words of which some begin with a capital.
const SHORT_WORD: usize = 4;
/// The number of digits of a personal identification number.
const PIN_DIGITS: std::ops::RangeInclusive<usize> = 4..=8;
/// The lengths of the seeds of one-time passwords in base32.
const OTP_LENGTHS: &[usize] = &[16, 24, 26, 32, 40, 52, 56, 64];
/// The number and the length of the groups of letters of an app password of Google.
const APP_GROUPS: usize = 4;

/// Returns whether a value, which could be a name, is a password that somebody chose: `PASSWORD = "silent-Dragon"`.
pub(super) fn is_chosen_name(key: &[u8], value: &[u8]) -> bool {
    if !WORDS.names_a_password(key) || !value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(byte)) {
        return false;
    }
    let words = || value.split(|byte| b"-._".contains(byte));
    if words().count() < 2 || words().any(<[u8]>::is_empty) {
        return false;
    }
    if words().any(|word| WORDS.worth(word) != Worth::None) {
        return has_capitals_of_nouns(value);
    }
    if is_kebab(value, 1) {
        return true;
    }
    // A constant.
    if !value.iter().any(u8::is_ascii_lowercase) {
        return false;
    }
    // Names in source code have one case: a path of members, or the name of a variable.
    let upper = words().filter(|word| word[0].is_ascii_uppercase()).count();
    let humps = humps(value) > 0;
    let mixed = upper > 0 && !humps;
    let parts = split(value);
    if parts.iter().any(|word| WORDS.is_of_names(word) && !(mixed && word.len() < SHORT_WORD)) {
        return false;
    }
    if mixed {
        return true;
    }
    // Two or more words with a number that is not their last sign: `vK7-grashalm`.
    let numbered = value[..value.len() - 1].iter().any(u8::is_ascii_digit) && !value.contains(&b'.');
    if numbered && parts.iter().filter(|word| word.len() > 3).count() > 1 && is_numbered_inside(value) {
        return true;
    }
    let long = parts.iter().filter(|word| word.len() > 2).count();
    let is_pass = key.eq_ignore_ascii_case(b"pass");
    let is_path = value.contains(&b'.') || humps;
    !is_path && long > 1 && !is_pass
}

/// Returns whether a value is words of which some begin with a capital, and only short ones do not, so that it is no name in source code:
/// `Barrel_of_Salt`. A word that may name a secret can be one of them.
fn has_capitals_of_nouns(value: &[u8]) -> bool {
    let words = || value.split(|byte| b"-_".contains(byte));
    let is_capitalized = |word: &[u8]| word[0].is_ascii_uppercase() && word[1..].iter().all(u8::is_ascii_lowercase);
    let is_joint = |word: &[u8]| word.len() < SHORT_WORD && word.iter().all(u8::is_ascii_lowercase);
    let is_known = |word: &[u8]| {
        let lower = word.to_ascii_lowercase();
        WORDS.worth(word) == Worth::Secret || std::str::from_utf8(&lower).is_ok_and(|lower| WORDS.is_of_names(lower))
    };
    let (nouns, joints): (Vec<&[u8]>, Vec<&[u8]>) = words().partition(|word| is_capitalized(word));
    nouns.len() > 1
        && !joints.is_empty()
        && joints.iter().all(|word| is_joint(word))
        && !nouns.iter().any(|word| is_known(word))
}

/// Returns whether a value is four or more words in small letters with dashes between them, of which few are words of names in code:
/// `copper-violin-rainy-porch`.
fn is_kebab(value: &[u8], max_names: usize) -> bool {
    let words = || value.split(|byte| *byte == b'-').map(|word| std::str::from_utf8(word).unwrap_or_default());
    WORDS_OF_A_KEBAB.contains(&words().count())
        && words().all(|word| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()))
        && words().filter(|word| WORDS.is_of_names(word)).count() <= max_names
        && !words().any(|word| WORDS.worth(word.as_bytes()) != Worth::None)
}

/// Returns whether a value is several words that somebody chose for a key by which a program signs or encrypts:
/// `SECRET_KEY = "copper-violin-rainy-porch"`. Most of its words are none of the names in code.
pub(super) fn is_signing_name(key: &[u8], value: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_lowercase() || b"-_".contains(byte);
    let words = split(value);
    let long = || words.iter().filter(|word| word.len() >= SHORT_WORD);
    let named = long().filter(|word| WORDS.is_of_names(word)).count();
    let is_secret = split(key).last() == Some("secret") && is_kebab(value, 0);
    is_secret
        || WORDS.signs(key)
            && value.iter().all(is_plain)
            && WORDS_OF_A_PHRASE.contains(&words.len())
            && words.len() > 2
            && named * 2 < long().count()
            && !words.iter().any(|word| WORDS.worth(word.as_bytes()) != Worth::None)
}

/// Returns whether a word of a value has a digit behind its first letters, and others do not: a name has numbers of its own.
fn is_numbered_inside(value: &[u8]) -> bool {
    value.windows(2).any(|two| two[0].is_ascii_alphabetic() && two[1].is_ascii_digit())
        && !value.split(|byte| b"-._".contains(byte)).any(|word| word.iter().all(u8::is_ascii_digit))
}

/// Returns whether a value of a password is several words with slashes between them, which are neither a path nor names: `bach/am/wald`.
pub(super) fn has_slashes(key: &[u8], value: &[u8]) -> bool {
    let words = || value.split(|byte| *byte == b'/');
    WORDS.names_a_password(key)
        && words().count() > 1
        && words().all(|word| word.len() > 1 && word.iter().all(u8::is_ascii_alphabetic))
        && is_unlike_names(value)
}

/// Returns whether no word of a value is one of the words of names in code.
pub(super) fn is_unlike_names(value: &[u8]) -> bool {
    !split(value).iter().any(|word| WORDS.is_of_names(word) || WORDS.worth(word.as_bytes()) != Worth::None)
}

/// Returns whether a value is a text of two words, of which one is a word of a label about a password: `Passwort ändern`, `Too short`.
pub(super) fn is_label(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let lower = text.to_lowercase().replace('`', "");
    let is_word = |word: &str| word.chars().all(char::is_alphabetic);
    let of_label = |word: &str| WORDS.is_of_sentences(word) || WORDS.worth(word.as_bytes()) != Worth::None;
    lower.split(' ').count() == 2 && lower.split(' ').all(is_word) && lower.split(' ').any(of_label)
}

/// Returns whether a value of several words is a passphrase: it has no word of a sentence or a label, and does not end like one.
pub(super) fn is_passphrase(key: &[u8], value: &[u8], bare: Bare) -> bool {
    if is_app_password(value) {
        return true;
    }
    let Ok(text) = std::str::from_utf8(value) else { return false };
    if is_signing_phrase(key, text, bare) || WORDS.names_a_phrase(key) && is_plain_phrase(text, bare) {
        return true;
    }
    let lower = text.to_lowercase();
    let words = || lower.split(' ');
    let count = words().count();
    let named = [&b"phrase"[..], b"mnemonic", b"psk", b"seed"]
        .iter()
        .any(|end| key.len() >= end.len() && key[key.len() - end.len()..].eq_ignore_ascii_case(end));
    // A mnemonic has up to 24 words.
    if named && count >= 4 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ') {
        return true;
    }
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let is_plain = |word: &str| {
        // `langes Haus, kurzer Hund 3`
        let word = if has_digit { word.strip_suffix(',').unwrap_or(word) } else { word };
        !word.is_empty()
            && !word.starts_with('-')
            && word.len() <= LONGEST_WORD
            && word.chars().all(|char| {
                char.is_alphanumeric()
                    || "-_!#*+&".contains(char)
                    || bare == Bare::Plain && ";%<>()=@$~^/".contains(char)
            })
            && !WORDS.is_of_sentences(word)
            && WORDS.worth(word.as_bytes()) == Worth::None
    };
    // `see the wiki`
    if lower.starts_with("see ") {
        return false;
    }
    let answers = key.to_ascii_lowercase().ends_with(b"answer");
    if !(answers || WORDS.names_a_password(key)) || !WORDS_OF_A_PHRASE.contains(&count) || !words().all(is_plain) {
        return false;
    }
    // In source code, texts of an interface stand behind such names, too.
    bare != Bare::Code
        || named
        || has_digit
        || lower == text && count > 2 && !words().any(|word| WORDS.is_of_names(word))
}

/// Returns whether a string of source code begins with a dollar sign, but cannot be the name of a variable: `$chlehe_46`.
pub(super) fn is_no_variable(key: &[u8], value: &[u8], bare: Bare) -> bool {
    let Some(name) = value.strip_prefix(b"$").filter(|_| bare == Bare::Code) else { return false };
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let known = |word: &str| WORDS.is_of_names(word) || WORDS.worth(word.as_bytes()) != Worth::None;
    digits > 1
        && WORDS.names_a_password(key)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && !split(name).iter().any(known)
}

/// Returns whether a value is the number of a card, a door or an alarm: `PIN: 4711`.
pub(super) fn is_pin(key: &[u8], value: &[u8], worth: Worth) -> bool {
    let ends_with = |end: &[u8]| key.len() >= end.len() && key[key.len() - end.len()..].eq_ignore_ascii_case(end);
    worth == Worth::Secret
        && PIN_DIGITS.contains(&value.len())
        && value.iter().all(u8::is_ascii_digit)
        && [&b"pin"[..], b"puk", b"code"].iter().any(|end| ends_with(end))
}

/// Returns whether a value is the seed of one-time passwords in base32, in groups of eight as most programs make them: `SEED = "…"`.
pub(super) fn is_otp_seed(key: &[u8], value: &[u8]) -> bool {
    OTP_LENGTHS.contains(&value.len())
        && value.iter().all(|byte| byte.is_ascii_uppercase() || (b'2'..=b'7').contains(byte))
        && value.iter().any(u8::is_ascii_digit)
        && split(key).last() == Some("seed")
        && !std::str::from_utf8(value).is_ok_and(is_wordy)
}

/// Returns whether a value has the number of words of the seed of a wallet, each in small letters.
pub(super) fn is_mnemonic(value: &[u8]) -> bool {
    let words = || value.split(|byte| *byte == b' ');
    matches!(words().count(), 12 | 15 | 18 | 21 | 24)
        && words().all(|word| (3..=8).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase))
}

/// Returns whether a value of source code is the phrase by which a program signs its sessions: `secret: 'keyboard cat lives here'`. A text of
/// an interface begins with a capital, or has a word of a sentence behind its first.
fn is_signing_phrase(key: &[u8], text: &str, bare: Bare) -> bool {
    let key = split(key);
    let words = || text.split(' ');
    let signs = |count: usize| match count {
        0 => false,
        1 => key.last() == Some("secret"),
        _ => key.last() == Some("secret") || key.iter().skip(count - 2).eq(["secret", "key"]),
    };
    let is_article = |word: &str| ["my", "the", "a", "an", "this", "i"].contains(&word);
    signs(key.len())
        && (3..=8).contains(&words().count())
        && words().all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
        && words().filter(|word| word.len() > 2).count() > 1
        && words().enumerate().all(|(at, word)| {
            at == 0 && is_article(word) || !WORDS.is_of_sentences(word) && WORDS.worth(word.as_bytes()) == Worth::None
        })
        && words().filter(|word| WORDS.is_of_names(word) && !is_article(word)).count()
            <= usize::from(bare != Bare::Code)
}

/// Returns whether a text is four or more plain words without those of a message or a label: `an old boat by the river`. In source code, it
/// has no capitals and at most one word of names.
fn is_plain_phrase(text: &str, bare: Bare) -> bool {
    let lower = text.to_lowercase();
    let words = || lower.split(' ');
    let content = || words().filter(|word| !WORDS.is_filler(word));
    let is_word = |word: &str| !word.is_empty() && word.chars().all(char::is_alphabetic);
    let tells = |word: &str| {
        WORDS.is_of_messages(word)
            || WORDS.worth(word.as_bytes()) != Worth::None
            || WORDS.names_a_password(word.as_bytes())
    };
    let names = content().filter(|word| WORDS.is_of_names(word)).count();
    let enough = match words().count() {
        4 => 3,
        5..=12 => 2,
        _ => return false,
    };
    (bare == Bare::Plain || lower == text)
        && words().all(is_word)
        && !content().any(tells)
        && content().count() >= enough
        && names < 2
        && names * 2 < content().count()
}

/// Returns whether a value is an app password as Google shows it: four groups of four letters or digits, which are no words.
pub(super) fn is_app_password(value: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let group = |group: &[u8]| group.len() == APP_GROUPS && group.iter().all(is_letter);
    let vowels = value.iter().filter(|byte| b"aeiou".contains(byte)).count();
    // Groups of hexadecimal digits are a dump.
    value.len() == APP_GROUPS * (APP_GROUPS + 1) - 1
        && value.split(|byte| *byte == b' ').all(group)
        && value.iter().any(|byte| (b'g'..=b'z').contains(byte))
        && vowels < 6
}

/// Returns whether a word of a value has a digit in the place of a letter: `w4sser`. Names in code have digits elsewhere.
pub(super) fn has_letter_as_digit(value: &[u8]) -> bool {
    let is_replaced = |word: &[u8]| {
        let Some(at) = word.iter().position(u8::is_ascii_digit) else { return false };
        (1..3).contains(&at)
            && b"013457".contains(&word[at])
            && word.len() > at + 3
            && word[at + 1..].iter().all(u8::is_ascii_alphabetic)
            && !KNOWN.iter().any(|known| word.len() >= known.len() && word[..known.len()].eq_ignore_ascii_case(known))
    };
    value.split(|byte| !byte.is_ascii_alphanumeric()).any(is_replaced) && std::str::from_utf8(value).is_ok_and(is_wordy)
}

/// Returns whether a value only seems to be a placeholder, because a word of it has a digit in the place of a letter: `S1gn-Here!`.
pub(super) fn is_disguised(value: &[u8]) -> bool {
    value.first().is_some_and(u8::is_ascii_alphanumeric)
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_!?#+*&".contains(byte))
        && value.iter().any(u8::is_ascii_uppercase)
        && value.windows(3).any(|three| {
            three[0].is_ascii_alphabetic() && b"013457".contains(&three[1]) && three[2].is_ascii_lowercase()
        })
}

/// The beginnings of names that have a digit behind their first letters.
pub(super) const KNOWN: &[&[u8]] = &[
    b"md5", b"s3", b"v1", b"v3", b"v4", b"v5", b"v7", b"h5", b"sm3", b"sm4", b"p4", b"ip4", b"x1", b"x3", b"x5",
    b"mp3", b"mp4", b"k3", b"i3", b"c3", b"d3", b"t3", b"t4", b"m1", b"m4", b"l3", b"l4", b"l7", b"gp3", b"r5", b"r7",
    b"log4", b"neo4", b"web3", b"ipv4", b"sqlite3", b"python3", b"gtk3", b"gtk4", b"qt5", b"vue3", b"boost1", b"lua5",
];

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn passwords_of_several_words_are_masked_behind_a_certain_key() {
        check(
            "a.py",
            &[
                "connect(user=\"ro\", password = \"⟦Median.Mittel⟧\")",
                "password = \"⟦Pommes_rot_weiss⟧\"",
                "DB_PASSWORD_PROD = \"⟦rum-kugel⟧\"",
                "bind_pw = '⟦lese.Recht⟧'",
                "passwd = \"⟦$chlehe_46⟧\"",
                "passwd = \"$user_46\"",
                "app_password = \"⟦vjqp xnte wkld rbzo⟧\"",
                "passphrase = \"⟦drei graue esel⟧\"",
                "PASSWORD = \"⟦Schleuse 5 links⟧\"",
                "password = \"user_password\"",
                "password = \"account.reset.title\"",
                "password_icon = \"lock-outline\"",
                "password = \"lock-outline\"",
                "password = \"Enter your password\"",
                "password = \"Das neue Kennwort\"",
                "password = \"lastProject\"",
                "password = \"Passwort ändern\"",
                "errors.password = 'Too short'",
                "password = \"⟦Rum Kugel⟧\"",
                "secret = \"rum-kugel\"",
                "text = \"drei graue esel\"",
            ],
        );
        check("a.clj", &["{:user \"ro\" :password \"⟦klammer-auf-zu⟧\"}", "(t :password \"text\")"]);
        check(
            "config.js",
            &[
                "session: { secret: '⟦keyboard cat lives here⟧' }",
                "secret: '⟦my little pony⟧',",
                "SECRET_KEY = '⟦the quick brown fox⟧'",
                "secret: 'Enter your secret',",
                "secret: 'the client secret',",
                "secret: 'shared between apps',",
                "token: 'keyboard cat lives here',",
            ],
        );
        check(
            "settings.py",
            &[
                "SECRET_KEY = \"⟦umber-violin-rainy-porch⟧\"",
                "SECRET_KEY = \"app-user-settings-page\"",
                "SECRET_KEY = \"jwt-signing-secret\"",
                "SHARED_KEY = \"umber-violin-rainy-porch\"",
            ],
        );
        check(
            "app.yml",
            &[
                "secretKey: ⟦umber-violin-rainy-porch⟧",
                "secretKey: \"⟦the quick otter swims home⟧\"",
                "secretKey: \"the secret of the client\"",
            ],
        );
        check("gradle.properties", &["signing.password=⟦S1gn-Here!⟧", "signing.password=your-password-here"]);
        check("a.sh", &["PASSWORD=`openssl rand hex 16`", "PASSWORD=\"⟦Tief See 4⟧\""]);
        check("a.env", &["SECRET_KEY=⟦rum_kugel_und_mehr⟧", "APP_SECRET=my-app-db-secret"]);
        check("a.ini", &["Password=\"⟦ruhe sanft daten⟧\"", "password = \"Enter a password\""]);
        check(
            "a.json",
            &["\"security_answer\": \"⟦Wellensittich Hansi⟧\"", "\"security_answer\": \"Your answer is required\""],
        );
        check(
            "a.xml",
            &[
                "<string name=\"api_secret\">⟦w4sser-Stand-Elbe⟧</string>",
                "<string name=\"api_secret\">md5sum-Stand-Elbe</string>",
            ],
        );
    }

    #[test]
    fn plain_words_behind_a_certain_key_are_a_passphrase() {
        check(
            "config.js",
            &[
                "app.use(session({ secret: '⟦seven boats lie on the shore⟧' }))",
                "const cfg = { password: '⟦ein altes boot am ufer⟧' };",
                "{ password: 'must contain at least one digit' }",
                "{ password: 'try again a little later' }",
                "{ secret: 'this is where we explain the feature' }",
                "{ title: 'seven boats lie on the shore' }",
                "{ password: 'the form for user settings' }",
            ],
        );
        check(
            "app.yml",
            &[
                "secret: '⟦sieben Boote liegen am Ufer⟧'",
                "password: '⟦sieben Boote liegen am Ufer⟧'",
                "password: 'Bitte geben Sie ein Kennwort ein'",
                "secret: 'stored in the vault of the team'",
            ],
        );
        check(
            "a.py",
            &[
                "password = \"⟦correct-heron-battery-staple⟧\"",
                "secret = \"⟦umber-violin-rainy-porch⟧\"",
                "secret = \"kube-violin-rainy-porch\"",
                "secret = \"umber-violin\"",
                "secret_name = \"umber-violin-rainy-porch\"",
                "password = \"user-settings-password-form\"",
                "password = \"⟦Kettle_of_Salt⟧\"",
                "password = \"⟦Eimer_voll_Salz⟧\"",
                "password = \"Password_of_User\"",
                "password = \"Form_of_Token\"",
            ],
        );
    }

    #[test]
    fn seeds_of_one_time_passwords_are_masked() {
        check(
            "otp.py",
            &[
                "SEED = \"⟦MFRGGZDFMZTWQ2LK⟧\"",
                "otp_seed = \"⟦MFRGGZDFMZTWQ2LK⟧\"",
                "SEED = \"INTEGRATIONTESTS\"",
                "SEED = \"integration-tests-2\"",
                "NAME = \"MFRGGZDFMZTWQ2LK\"",
            ],
        );
        check("values.yaml", &["erlangCookie: ⟦keksdose⟧", "erlangCookieSecretName: keksdose", "cookie: keksdose"]);
    }
}
