//! Recognises values that are no secret because of what their key says about them: the name of an algorithm, the number of a public key,
//! a list of names, a token of a text.

use super::code::is_name;
use super::literal::{Place, line_start};
use super::values::Bare;
use super::words::WORDS;

/// A key, and a value that was read for it.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) text: &'a [u8],
    pub(super) key: (usize, usize),
    pub(super) value: &'a [u8],
    pub(super) place: Place,
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
    }

    fn key(&self) -> &[u8] {
        &self.text[self.key.0..self.key.1]
    }

    /// `alg: HS256`. People choose such names as passwords, but not in a sentence.
    fn is_technique(&self) -> bool {
        let told = !self.place.quoted && self.place.bare == Bare::Text;
        let end = self.value.iter().rposition(|byte| !b".,;:)".contains(byte)).map_or(0, |at| at + 1);
        WORDS.is_technique(&self.value[..end]) && (told || !WORDS.names_a_password(self.key()))
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
        self.value.contains(&b',') && names.all(|name| is_name(name) && WORDS.names_a_secret(name))
    }

    /// `{ token: 'identifier', value: 'a' }`: a token of a text. One that gives access is not a word of a few letters.
    fn is_lexeme(&self) -> bool {
        let rest = &self.text[self.key.1..];
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
        self.place.quoted
            && self.key().eq_ignore_ascii_case(b"token")
            && rest.trim_ascii_start().first() == Some(&b':')
            && self.value.len() < 14
            && self.value.iter().all(u8::is_ascii_lowercase)
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
