//! Recognises values that are no secret because of what their key says about them: the name of an algorithm, the number of a public key,
//! a list of names, a token of a text.

use super::code::{is_name, is_wordy};
use super::cursor::{Place, line_start};
use super::key_words::split;
use super::values::{Bare, is_placeholder};
use super::words::{WORDS, Worth};

/// A key, and a value that was read for it.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) text: &'a [u8],
    pub(super) key: (usize, usize),
    pub(super) value: &'a [u8],
    /// The place of the value in the text.
    pub(super) at: usize,
    pub(super) place: Place,
    /// How unquoted values of the file are read.
    pub(super) bare: Bare,
}

impl Pair<'_> {
    /// Returns whether the value only tells something about a secret.
    pub(super) fn tells_about_one(&self) -> bool {
        self.is_technique()
            || self.is_key_id()
            || self.is_list_of_names()
            || self.is_lexeme()
            || self.is_usage()
            || self.is_series()
            || self.is_entry_template()
            || self.is_flag()
            || self.is_command_output()
            || self.is_looked_up()
            || self.is_named_argument()
            || self.is_behind_prompt()
            || self.is_name_in_deployment()
            || self.has_other_meaning()
            || self.place.quoted && WORDS.names_the_form_of_a_secret(self.value)
    }

    pub(super) fn key(&self) -> &[u8] {
        &self.text[self.key.0..self.key.1]
    }

    /// `alg: HS256`. People choose such names as passwords, but not in a sentence.
    fn is_technique(&self) -> bool {
        let told = !self.place.quoted && self.place.bare == Bare::Text;
        let end = self.value.iter().rposition(|byte| !b".,;:)".contains(byte)).map_or(0, |at| at + 1);
        // `the secret is base64-encoded`
        let value = &self.value[..end];
        let stem = value.iter().rposition(|byte| *byte == b'-').filter(|_| told && value.ends_with(b"ed"));
        let is_known = WORDS.is_technique(value) || stem.is_some_and(|dash| is_placeholder(&value[..dash]));
        is_known && (told || !WORDS.names_a_password(self.key()))
    }

    /// `GPG_KEY=B60BE68747B84385916EA265EB823FBCA5BCBE3E`: the last digits of a fingerprint, or all.
    fn is_key_id(&self) -> bool {
        let digits = self.value.strip_prefix(b"0x").unwrap_or(self.value).strip_suffix(b"!").unwrap_or(self.value);
        let one_case = !digits.iter().any(u8::is_ascii_lowercase) || !digits.iter().any(u8::is_ascii_uppercase);
        matches!(digits.len(), 8 | 16 | 40)
            && one_case
            && digits.iter().all(u8::is_ascii_hexdigit)
            && WORDS.names_a_key_id(self.key())
    }

    /// `SecretsFilter: 'db-password,api-token'`
    fn is_list_of_names(&self) -> bool {
        let mut names = self.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        let is_list = self.value.contains(&b',') && names.all(|name| is_name(name) && WORDS.names_a_secret(name));
        // `credential=password+webauth_mfa`
        let mut factors = self.value.split(|byte| *byte == b'+');
        let is_plain = |name: &[u8]| name.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_');
        is_list
            || self.value.contains(&b'+')
                && factors.clone().all(is_plain)
                && factors.any(|name| WORDS.names_a_secret(name))
    }

    /// `{ token: 'identifier', value: 'a' }`, `"token": "MINMATCHLEN"`: a token of a text. One that gives access is not a word.
    fn is_lexeme(&self) -> bool {
        let rest = &self.text[self.key.1..];
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
        let is_member = rest.trim_ascii_start().first() == Some(&b':');
        let is_small = is_member && self.value.len() < 14 && self.value.iter().all(u8::is_ascii_lowercase);
        let is_constant = self.bare != Bare::Plain
            && self.value.iter().all(|byte| byte.is_ascii_uppercase() || b"_|".contains(byte))
            && std::str::from_utf8(self.value).is_ok_and(is_wordy);
        let key = self.key();
        let last = key.rsplit(|byte| *byte == b'.').next().unwrap_or(key);
        self.place.quoted && last.eq_ignore_ascii_case(b"token") && (is_small || is_constant)
    }

    /// `"password-reset:%s"`: the name of an entry in a store, with a place for the number of a user.
    fn is_entry_template(&self) -> bool {
        if !self.place.quoted || memchr::memchr3(b'{', b'%', b'$', self.value).is_none() {
            return false;
        }
        let Some(names) = without_fields(self.value) else { return false };
        let is_known = |word: &str| WORDS.is_of_names(word) || WORDS.worth(word.as_bytes()) != Worth::None;
        names.iter().all(|byte| byte.is_ascii_lowercase() || b":/_-. ".contains(byte))
            && names.contains(&b' ')
            && split(&names).iter().any(is_known)
    }

    /// `PASSWORD_FLAG="--pass-file"`: the flag of a program.
    fn is_flag(&self) -> bool {
        let name = self.value.strip_prefix(b"-").filter(|_| self.place.quoted);
        let Some(name) = name.map(|name| name.strip_prefix(b"-").unwrap_or(name)) else { return false };
        name.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-')
            && split(name).iter().any(|word| WORDS.worth(word.as_bytes()) != Worth::None)
    }

    /// `TOKEN="$(vault read "…")"`: a command, of which the quote of an argument ends the string.
    fn is_command_output(&self) -> bool {
        let follows_word = self.value.last().is_some_and(|byte| byte.is_ascii_whitespace() || b"=(<".contains(byte));
        let is_open = match self.value {
            [b'$', b'(', rest @ ..] => !rest.contains(&b')'),
            [b'`', rest @ ..] => !rest.contains(&b'`'),
            _ => false,
        };
        self.place.quoted && is_open && follows_word
    }

    /// `{{ lookup('hashi_vault', 'secret=kv/app:token') }}`: the path of a secret, which a template looks up.
    fn is_looked_up(&self) -> bool {
        let before = &self.text[line_start(self.text, self.key.0)..self.key.0];
        let Some(open) = memchr::memmem::rfind(before, b"{{") else { return false };
        let calls = [&b"lookup("[..], b"query("];
        self.value.contains(&b'/') && calls.iter().any(|call| memchr::memmem::find(&before[open..], call).is_some())
    }

    /// `key = HKDF(secret=master, length=32)`: code in a document. A log prints the members of an object without such a call.
    fn is_named_argument(&self) -> bool {
        let before = &self.text[line_start(self.text, self.key.0)..self.key.0];
        if self.bare != Bare::Text || self.place.quoted || self.text.get(self.key.1) != Some(&b'=') {
            return false;
        }
        let Some(open) = memchr::memrchr(b'(', before).filter(|_| before.ends_with(b"(") || before.ends_with(b", "))
        else {
            return false;
        };
        let named = before[..open].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte));
        let (name, head) = before[..open].split_at(open - named.count());
        let (head, name) = (name.trim_ascii_end(), head);
        let is_called = name.first().is_some_and(u8::is_ascii_lowercase)
            || head.ends_with(b"=") && !name.is_empty()
            || [&b"return"[..], b"await", b"new"].iter().any(|word| head.ends_with(word)) && !name.is_empty();
        let value = self.value.strip_suffix(b",").unwrap_or(self.value);
        let value = [&b"())"[..], b"()", b")"].iter().find_map(|end| value.strip_suffix(*end)).unwrap_or(value);
        let behind = &self.text[self.at + value.len()..];
        is_called
            && matches!(behind.first(), Some(b',' | b')' | b'('))
            && value.iter().all(|byte| byte.is_ascii_alphabetic() || b"_.".contains(byte))
    }

    /// `getpass('Password: ')`: the quote ends the string that the key is in.
    fn is_behind_prompt(&self) -> bool {
        let before = &self.text[line_start(self.text, self.key.0)..self.key.0];
        let words = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b' ').count();
        let before = &before[..before.len() - words];
        let Some((&quote, inside)) = before.split_last().filter(|(byte, _)| b"\"'`".contains(byte)) else {
            return false;
        };
        let is_escaped = |text: &[u8]| text.ends_with(b"\\");
        let quotes = memchr::memchr_iter(quote, before).filter(|at| is_escaped(&before[..*at]) == is_escaped(inside));
        self.place.quoted
            && matches!(self.text.get(self.key.1), Some(b':' | b'='))
            && self.text.get(self.at - 1) == Some(&quote)
            && quotes.count() % 2 == 1
    }

    /// `job:token_errors:rate5m`: the name of a series. In YAML, a colon without a blank assigns nothing.
    fn is_series(&self) -> bool {
        let (start, end) = self.key;
        let is_name = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_:".contains(byte);
        let is_part = self.value.contains(&b':') || self.text[..start].ends_with(b":");
        !self.place.quoted
            && is_part
            && self.text.get(end) == Some(&b':')
            && self.text.get(end + 1).is_some_and(u8::is_ascii_lowercase)
            && self.value.iter().all(is_name)
    }

    /// `[--otp CODE]`: an argument in the text about a program.
    fn is_usage(&self) -> bool {
        let start = line_start(self.text, self.key.0);
        !self.place.quoted
            && self.text[start..self.key.0].ends_with(b"[")
            && self.key().starts_with(b"-")
            && self.value.iter().all(|byte| byte.is_ascii_uppercase() || b"_-]".contains(byte))
    }
}

/// Returns the length of the name of a variable of a shell that a text begins with.
fn variable(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_uppercase() || **byte == b'_').count()
}

/// Returns a text with a blank in the place of each field: `%s`, `%d`, `{id}`, `${id}`, `#{id}`, `-$ID`. Returns nothing if a brace does not close.
fn without_fields(text: &[u8]) -> Option<Vec<u8>> {
    let mut rest = text;
    let mut names = Vec::with_capacity(text.len());
    while let Some((&byte, behind)) = rest.split_first() {
        rest = match byte {
            b'{' => {
                if matches!(names.last(), Some(b'$' | b'#' | b'%')) {
                    names.pop();
                }
                names.push(b' ');
                &behind[memchr::memchr(b'}', behind)? + 1..]
            }
            b'$' if !names.last().is_some_and(u8::is_ascii_alphanumeric) && variable(behind) > 1 => {
                names.push(b' ');
                &behind[variable(behind)..]
            }
            b'%' if behind.first().is_some_and(|verb| b"sdvx".contains(verb)) => {
                names.push(b' ');
                &behind[1..]
            }
            byte => {
                names.push(byte);
                behind
            }
        };
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn values_that_tell_about_a_secret_are_harmless() {
        check(
            "settings.toml",
            &[
                "password_hash = \"argon2id\"",
                "password_hash = \"⟦9f86d081884c7d659a2feaa0c55ad015⟧\"",
                "credential_helper = \"osxkeychain\"",
                "password_charset = \"alphanumeric\"",
                "token_rotation_v2 = \"gradual-rollout\"",
                "SecretsFilter = 'db-password,api-token'",
                "password = \"⟦bcrypt⟧\"",
                "password-hashing = [\"dep:argon2\", \"argon2/std\"]",
                "jwt = \"HS256\"",
                "signingkey = B793B27D9B3E7093",
                "GPG_KEY=B60BE68747B84385916EA265EB823FBCA5BCBE3E",
                "HMAC_KEY=⟦B60BE68747B84385916EA265EB823FBCA5BCBE3E⟧",
            ],
        );
        check(
            "a.ts",
            &[
                "expect(x).toEqual([{ token: 'identifier', value: 'a' }])",
                "const secret = await generateSecret('HS256')",
                "const PASSWORD_CHARS = \"abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789!$%&\";",
                "token: 'rgb(var(--token-foreground) / <alpha-value>)',",
                "'password-shake': 'shake 0.3s cubic-bezier(.36,.07,.19,.97) both',",
                "export const SECRET_PROVIDER_TOKEN = Symbol.for('acme:secret-provider')",
                "{ token: '⟦geheim-77⟧', value: 'a' }",
            ],
        );
        check(
            "setup.sh",
            &["export ERLANG_COOKIE=\"app-erlang-cookie-$RANDOM-$RANDOM\"", "export DB_PASSWORD=\"⟦my-pa$SWORD⟧\""],
        );
        check("settings.yml", &["- secret: db-credentials-v2", "apt_key: 9DC858229FC7DD38854AE2D88D81803C0EBFCD88"]);
        check("a.ts", &["const AUTH_TOKEN_STORAGE_KEY = 'acme:auth-token:v1';", "const TOKEN_COOKIE = 'acme_sid_v2';"]);
        check("Cargo.toml", &["token = [\"dep:jsonwebtoken\", \"jsonwebtoken/pem2\"]"]);
        check(
            "a.rs",
            &[
                "fn x() {\n  eq(join(\"data\", \"attachments\"), 1);\n  eq(with(\"data/rsa_key\", \"pem\"), 2);\n}",
                "const PASSWORD_ITER: i32 = 100_000;",
                "const TOKEN: u32 = 100_000;",
                "/// is derived from the password: PBKDF2, 600000 rounds",
                "// the algorithm for the password is argon2id.",
            ],
        );
        check("a.php", &["case API_KEY = 'api_key_v2';", "define( 'AUTH_KEY', 'put your unique phrase here' );"]);
        check(
            "a.go",
            &["usage(\"acme login -u USER -p PASSWORD [--otp CODE]\")", "run(\"acme login --otp ⟦geheim-77⟧\")"],
        );
    }

    #[test]
    fn prompts_pages_and_names_are_harmless() {
        check(
            "a.ipynb",
            &[
                "   \"source\": [\"password = getpass('Password: ')\\n\"]",
                "    \"token = getpass.getpass(\\\"Enter your token: \\\")\\n\",",
                "    \"password: '⟦kuckuck-7⟧'\",",
                "    \"user: 'me' password: '⟦kuckuck-7⟧'\",",
            ],
        );
        check("a.go", &["resp.NextPageToken = \"abc123\"", "resp.AccessToken = \"⟦abc123x⟧\""]);
        check("a.yml", &["suppressWarningToken: drop-77", "token: sha256-11111111111111111111111111111111111="]);
        check("a.py", &["TOKEN_RE = re.compile(r\"\\b[A-F0-9]{8,}\\b\")"]);
        check(
            "a.properties",
            &["password=\\u5bc6\\u7801", "password=\\u041f\\u0430\\u0440", "password=⟦ku\\u00e9ck7uck⟧"],
        );
        check(
            "a.md",
            &[
                "The secret is base64-encoded.",
                "postgres://db_user:db_password@db/app",
                "postgres://db_user:⟦bachstelze⟧@db/app",
            ],
        );
        check("credentials.xml", &["<password>⟦{AQAAABAAAAAQk3v9x8b2m4n6q8s0u2w4y6A8C0E2G4I6K8M=}⟧</password>"]);
    }

    #[test]
    fn tokens_of_a_language_are_harmless() {
        check(
            "commands.json",
            &[
                "\"token\": \"MINMATCHLEN\",",
                "\"token\": \"BYTE|BIT\",",
                "\"token\": \"{{ vault.token }}\",",
                "\"secret\": \"{{#if a}}{{b}}{{/if}}\",",
                "\"token\": \"⟦Geheimnis-Kraemer⟧\",",
                "\"secret\": \"⟦GEHEIMKRAEMER⟧\",",
            ],
        );
        check("lexer.js", &["{ token: 'IDENTIFIER', value: 'a' }", "self.token = \"LPAREN\"", "token = \"⟦L7PAREN⟧\""]);
        check("tokens.css", &["  --token-space-sm: 4px;", "  --token-angle: 90deg;"]);
    }

    #[test]
    fn types_files_and_own_names_are_harmless() {
        check(
            "src/query.ts",
            &[
                "storageKey: 'order-table-columns-2023',",
                "const JWT_TOKEN_VALUE = 'urn:ietf:params:oauth:token-type:jwt'",
                "const oneTimePassword = 'otp'",
            ],
        );
        check("paginators.json", &["{\"input_token\": \"Marker\", \"output_token\": \"NextMarker\"}"]);
        check(
            "types.py",
            &["    \"AWS::SecretsManager::Secret\": \"b7d41ace90f3e258\",", "x['a::Secret'] = '⟦b7d41ace90f3e258⟧'"],
        );
        check(
            "release.sh",
            &["aws s3api put-object --key tool-v$VERSION-arm64.tar.gz", "s3 --secret-key ⟦tool-v9Hk2pQ7⟧"],
        );
        check(
            "README.md",
            &[
                "kubectl create secret generic db --from-literal=admin-password=ADMIN_PASSWORD",
                "kubectl create secret generic db --from-literal=admin-password=⟦Admin_Otter7⟧",
                "import-credentials --token my-gitlab-token --username me",
            ],
        );
        check("lib/auth.dart", &["    _authToken = result.value;", "    _authToken = \"⟦9fK2hQ7xTb4LmZ0w⟧\";"]);
    }

    #[test]
    fn names_of_entries_and_of_forms_are_harmless() {
        check(
            "keys.go",
            &[
                "keyResetToken = \"password-reset:%s\"",
                "authToken = \"auth:{%s}:token\"",
                "resetToken = \"reset_token_%s\"",
                "const refreshToken = `refresh:${id}`;",
                "const SECRET = \"TimeOtp-Secret-Base32\";",
                "const TOKEN = \"x-api-key-sha256\";",
                "password = \"⟦kuckuck:%s⟧\"",
                "password = \"⟦Kuckuck-Hex⟧\"",
            ],
        );
        check(
            "cli_test.cpp",
            &["\"Password: PROTECTED\\n\"", "\"Password: MASKED\\r\\n\"", "\"Password: ⟦Kuckuck7\\n⟧\""],
        );
    }

    #[test]
    fn flags_and_commands_that_fetch_a_secret_are_harmless() {
        check(
            "run.sh",
            &[
                "PASSWD=\"-pwd\"",
                "PASSWORD=\"--pass-file\"",
                "export VAULT_TOKEN=\"$(vault write role_id=\"$ROLE\")\"",
                "PASSWORD=\"$(cat \"$HOME/.pw1\")\"",
                "PASSWORD=\"`cat \"$HOME/.pw1\"`\"",
                "PASSWORD=\"⟦-kuckuck⟧\"",
                "PASSWORD=\"⟦$(kuckuck⟧\"",
            ],
        );
        check(
            "all.yml",
            &["token: \"{{ lookup('hashi_vault', 'secret=kv/data/app:token') }}\"", "token: \"⟦kuckuck:77⟧\""],
        );
        check(
            "crypto.md",
            &[
                "key = HKDF(secret=master, salt=id, length=32)",
                "login(user=name, password=getpass())",
                "sign(secret=ikm)",
                "sign(secret=⟦kuckuck7⟧)",
                "10:00 User(name=tom, password=⟦kaninchen⟧)",
            ],
        );
    }

    #[test]
    fn references_to_secrets_in_markup_and_scripts_are_harmless() {
        check("a.cmd", &["set /p PASSWORD=Enter password: ", "set PASSWORD=⟦Enter⟧"]);
        check("a.vue", &["<X :token=\"token\" :api-key=\"apiKey\" @update:token=\"onToken\" />"]);
        check("a.py", &["secret = relationship(\"Secret\", back_populates=\"user\", cascade=\"all\")"]);
        check("a.R", &["pw <- rstudioapi::askForPassword(\"Database password\")"]);
        check("a.snap", &["<li data-key=\"row-1\">Token 1</li>"]);
        check("a.v", &["assign token = (state == WAIT) ? next_token : 8'hFF;"]);
        check("a.g4", &["clause : IDENTIFIED BY secret=STRING_LITERAL ;"]);
        check(
            "a.html",
            &[
                "<input type=\"password\" id=\"password\" name=\"password\">\n<a>x</a>\n<input type=\"submit\" value=\"Sign in\">",
            ],
        );
        check("nginx.conf", &["add_header Permissions-Policy \"publickey-credentials-get=(self)\" always;"]);
        check("rules.yml", &["- record: job:password_failures:rate5m"]);
        check(
            "play.yml",
            &["ansible_become_pass: \"{{ lookup('community.general.onepassword', 'sudo', field='password') }}\""],
        );
        check(
            "Info.plist",
            &[
                "<key>SUPublicEDKey</key>\n<string>M+7Yqyw0kSHlrwoh/agsbKIU9CpWNfdwW47BigbyQC4=</string>",
                "<key>APIKey</key>\n<string>⟦M7Yqyw0kSHlrwohagsbKIU9CpWNfdwW47Bigby⟧</string>",
            ],
        );
    }

    #[test]
    fn placeholders_and_words_for_a_password_in_other_languages_are_harmless() {
        check(
            "README.md",
            &[
                "DB_PASSWORD=dein-passwort",
                "SECRET_KEY=hier-geheimen-schluessel-eintragen",
                "API_TOKEN=votre_token",
                "PASSWORD=mot-de-passe-ici",
                "SECRET_KEY=ersetze-mich",
                "DB_PASSWORD=tu-contraseña",
                "DB_PASSWORD=⟦dein-regenschirm⟧",
            ],
        );
        check(
            "translations.json",
            &[
                "\"password\": \"বর্তমান পাসওয়ার্ড\", \"new-password\": \"पासवर्ड बदलें\"",
                "\"passwort_vergessen\": \"Link-77 senden\", \"longueur_mot_de_passe_champ\": \"min-12\"",
                "\"create-webhook\": \"ایجاد وب‌هوک\", \"token-deleted\": \"액세스 토큰 삭제\"",
            ],
        );
        check("a.c", &["#define WIFI_PASS      CONFIG_WIFI_PASSWORD"]);
        check("zh-CN.yml", &["password: 密码", "secret: 密钥"]);
        check("messages.yml", &["password: 密码", "token: 令牌", "password: ⟦月亮代表⟧"]);
    }

    #[test]
    fn keys_in_other_languages_are_read() {
        check("a.php", &["private string $motDePasse = '⟦poivre&sel⟧';"]);
        check(
            "a.js",
            &[
                "contraseña: '⟦pingüino6⟧',",
                "contraseña: z.string(),",
                "palabrasClave: 'uno dos tres',",
                "clave_primaria = 'id_usuario2'",
            ],
        );
        check("a.py", &["ПАРОЛЬ_БД = \"⟦заяц-на-лугу⟧\"", "Пароль = поле.значение"]);
        check("a.yml", &["  密码: ⟦青山绿水长流9⟧"]);
        check("a.ini", &["haslo = ⟦bąk-na-łące⟧"]);
        check("a.json", &["\"Losenord\": \"⟦får-i-hagen-å⟧\""]);
        check("a.rb", &["パスワード = \"⟦yuki-furu-2gatsu⟧\""]);
    }
}
