//! Texts of interfaces in files of translations, by the path of the file and by the text.

use super::values::is_mixed;

/// Folders of files with translations.
const FOLDERS: &[&str] =
    &["locale", "locales", "i18n", "l10n", "lang", "langs", "language", "languages", "translation", "translations"];

/// The names of files with translations, without their extension.
const FILES: &[&str] = &["i18n", "l10n", "locale", "locales", "translations"];

/// Extensions of files with translations.
const EXTENSIONS: &[&str] = &[
    "json",
    "json5",
    "yml",
    "yaml",
    "properties",
    "po",
    "pot",
    "php",
    "ts",
    "js",
    "xml",
    "xlf",
    "xliff",
    "strings",
    "arb",
    "resx",
    "ftl",
    "toml",
    "lang",
    "txt",
    "ini",
];

/// The languages that interfaces are translated to most, as in the names of files. `ci.yml` and `db.yml` are in no language.
const LANGUAGES: &[&str] = &[
    "af", "ar", "az", "be", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "eo", "es", "et", "eu", "fa",
    "fi", "fr", "ga", "gl", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kk", "ko", "lt", "lv", "mk",
    "ml", "mr", "ms", "nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "ta", "te", "th",
    "tr", "uk", "ur", "uz", "vi", "zh",
];

/// Returns whether a file has the texts of an interface in one language, by its path: `de.json`, `messages_pt_BR.properties`.
pub(super) fn is_translation(place: &str) -> bool {
    let mut parts = place.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default();
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    if !EXTENSIONS.contains(&extension) {
        return false;
    }
    let language = |text: &str| {
        let (language, region) = text.split_once(['-', '_']).unwrap_or((text, ""));
        LANGUAGES.contains(&language)
            && matches!(region.len(), 0 | 2 | 4)
            && region.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let ending = ["messages", "strings", "translations", "labels", "texts", "locale"]
        .iter()
        .find_map(|start| stem.strip_prefix(start)?.strip_prefix(['_', '-', '.']));
    // `de.lproj/Localizable.strings`, `values-pt-rBR/strings.xml`
    let folder_of = |folder: &str| {
        let name = folder
            .strip_suffix(".lproj")
            .or_else(|| folder.strip_prefix("values-").map(|name| &name[..name.len().min(2)]));
        name.is_some_and(|name| name == "Base" || language(name))
    };
    // `src/i18n.ts`
    FILES.contains(&stem)
        || language(stem)
        || ending.is_some_and(language)
        || parts.any(|folder| FOLDERS.contains(&folder) || folder_of(folder))
}

/// Returns whether a value consists of words of a language. Between words, a number may stand.
pub(super) fn is_label(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let mut rest = text;
    let mut letters = 0;
    let number = |word: &str| {
        // `8`, `n°1`
        let digits = word.trim_matches(['(', ')', '.', ',', ':', '+']).trim_start_matches(['n', 'N', '°', 'º', '#']);
        digits.len() < 4 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    if text.contains(' ') && text.split(' ').any(number) {
        return text
            .split(' ')
            .filter(|word| !number(word))
            .all(|word| is_label(word.as_bytes()) || word.chars().all(char::is_alphabetic));
    }
    while let Some(char) = rest.chars().next() {
        if let Some(length) = inserted(rest) {
            rest = &rest[length..];
            continue;
        }
        // Files of properties escape what is not ASCII: `\u00e8`.
        let escape = rest
            .strip_prefix("\\u")
            .and_then(|digits| digits.get(..4))
            // An ASCII letter needs no escape: it hides a secret.
            .filter(|digits| u32::from_str_radix(digits, 16).is_ok_and(|code| code > 0x7f));
        if !(escape.is_some()
            || char.is_alphabetic()
            || char == ' '
            || ".,:;!?'’()/-…（）：，。、「」\u{200c}".contains(char))
        {
            return false;
        }
        letters += usize::from(escape.is_some() || char.is_alphabetic());
        rest = &rest[escape.map_or(char.len_utf8(), |digits| digits.len() + 2)..];
    }
    (letters > 2 || letters == 2 && (!value.is_ascii() || value.contains(&b'\\'))) && !is_mixed(value)
}

/// Returns the length of the mark of a value that a program inserts into a label: `%1$s`, `%d`, `{name}`.
fn inserted(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix('%') {
        let position = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'$').count();
        return rest[position..].starts_with(['s', 'd', '@', 'i', 'u']).then_some(position + 2);
    }
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then_some(name.len() + 2)
}

/// Returns whether most letters of a text are escaped as in files of properties: `\u5bc6\u7801`.
pub(super) fn is_escaped(value: &[u8]) -> bool {
    memchr::memmem::find_iter(value, b"\\u").count() * "\\u5bc6".len() * 2 > value.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check;

    #[test]
    fn labels_are_known_by_the_path_of_their_file() {
        for path in ["de.json", "src/locales/app/x.ts", "messages_pt_BR.properties", "sv.yml", "strings.fr.json"] {
            assert!(is_translation(path), "{path}");
        }
        for path in ["db.conf", "package.json", "ci.yml", "config/app.yml", "de/settings.json", "lang", "src/main.rs"] {
            assert!(!is_translation(path), "{path}");
        }
        check("de.json", &["\"password\": \"Passwort\"", "\"password\": \"⟦geheim77⟧\""]);
        check("it.properties", &["error.password=La password non \\u00e8 valida"]);
        check("i18n/app.js", &["{password: \"⟦\\u0047\\u006c\\u0065\\u0069\\u0073\\u002d\\u0035⟧\"}"]);
        check("app.json", &["\"password\": \"⟦Kaninchen⟧\""]);
    }
}
