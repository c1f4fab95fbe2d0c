use proptest::prelude::*;

use crate::testing::{check, session};

#[test]
fn passwords_told_by_a_sentence_are_masked() {
    check(
        "README.md",
        &[
            "The API password is `⟦Suppe⟧`.",
            "The password of the demo server is ⟦Kaninchen⟧",
            "Das Passwort für den Server lautet ⟦Kaninchen⟧.",
            "The root password is now **⟦einfach7⟧**, do not tell.",
            "Log in with **admin** / **⟦Kuchen77⟧**.",
            "Log in with `admin` / `⟦Kuchen77⟧` on staging.",
            "Login: gast / ⟦Kuchenzeit⟧",
            "Zugangsdaten: kunde7 / ⟦Zaunkönig!⟧",
            "credentials for the demo: demo / ⟦Kuchen77⟧",
            "Login: ops:⟦Kuchen77⟧",
            "Test user: `alice` / `⟦kuchen⟧`",
            "pw for the box is ⟦Kuchenzeit⟧",
            "The password has been reset to ⟦Kuchen-77⟧.",
            "The db password currently is `⟦einfach⟧`",
            "| Password | ⟦Kuchen77⟧ |",
            "- Password – ⟦Kuchen77⟧",
            "You can log in as `demo` with the password `⟦einfach⟧`.",
            "The password was changed from ⟦Apfelmus9⟧ to ⟦Birnenmus8⟧.",
            "- Changed the admin password from ⟦Sauerkraut⟧ to ⟦Rotkohl-55⟧",
            "Set the password to ⟦Kuchen-77⟧.",
            "The replica runs on db3 (user `repl`, password `⟦einfach⟧`).",
        ],
    );
    check(
        "a.js",
        &[
            "// the password for the demo server is ⟦Kaninchen⟧",
            " * Test account: user \"partner\", password \"⟦einfach⟧\".",
            "// login: root / ⟦Kuchen77⟧",
        ],
    );
}

#[test]
fn plain_words_in_comments_are_masked_behind_the_name_of_a_password() {
    check(
        "mailer.py",
        &[
            "# pw: ⟦kirschgarten⟧",
            "# password = ⟦kirschgarten⟧ on staging",
            "# the password of the staging box is ⟦kirschgarten⟧",
            "# password was ⟦kirschgarten⟧ before",
            "# user tom, pw ⟦kirschgarten⟧",
            "# user: tom, pass: ⟦kirschgarten⟧",
            "# use ⟦kirschgarten⟧ as password",
            "# passphrase: ⟦kirschgarten im regen⟧",
            "# the password is mandatory\n# the passphrase is verbatim.\n# the secret password is wrong",
            "# If the password is kirschgarten, fail.",
            "# the password is already\n# set",
            "# each passphrase is prepended with a digit",
            "# with user and password authentication",
            "# password: required, pw: hidden",
        ],
    );
    check(
        "a.ts",
        &[
            "// login is tom / ⟦kirschgarten⟧",
            "// creds: admin/⟦kirschgarten⟧, credentials tom:⟦kirschgarten7⟧",
            "// password \"⟦kirschgarten⟧\" for the tests",
            "const x = 1; // pw: ⟦kirschgarten⟧",
            "/** Password: ⟦kirschgarten⟧ */",
            "// old pw: ⟦kirschgarten⟧, new pw: ⟦apfelbaum⟧",
            "// FIXME hardcoded password ⟦kirschgarten⟧",
            "// test account tom / ⟦kirschgarten⟧",
            "// ssh tom@10.0.0.7 (password ⟦kirschgarten⟧)",
            "// the default password policy. log in with twitter / linkedin",
            "// login: username / email",
            "// login is required / optional",
            "// credentials: admin / editor",
        ],
    );
}

#[test]
fn words_between_the_name_of_a_password_and_its_verb_are_skipped() {
    check(
        "README.md",
        &[
            "The **password** of the **demo server** (in Berlin) is **⟦kirschgarten⟧**.",
            "The password of the demo server and its backup host in the basement is ⟦kirschgarten7⟧.",
            "The root password of the box, by the way, is ⟦Kirschgarten7⟧.",
            "The password is _⟦kirschgarten⟧_.",
            "We changed the password from ⟦kirschgarten⟧ to ⟦apfelbaum⟧.",
            "We replaced the password ⟦kirschgarten7⟧ with ⟦apfelbaum8⟧.",
            "We changed the password from optional to required.",
            "The password of the demo server, if any, is empty.",
            "The submitted user and password are attacker-controlled.",
            "Le mot de passe du serveur est ⟦cerisier⟧.",
            "All test users have the password ⟦kirschgarten⟧.",
            "Das Passwort wurde von ⟦kirschgarten⟧ auf ⟦apfelbaum⟧ geändert.",
            "The password defaults to ⟦kirschgarten⟧.",
            "I use ⟦kirschgarten⟧ as the password everywhere.",
            "La contraseña es: ⟦cerezo⟧",
            "It indicates a master password compromise. Use the password generator. A jelszó megváltozott, x.",
            "The password defaults to empty.",
            "Le mot de passe est facultatif. La contraseña es obligatoria. Wachtwoord is gewijzigd.",
        ],
    );
}

#[test]
fn numbers_that_open_something_are_masked() {
    check(
        "notes.md",
        &[
            "Enter PIN ⟦4831⟧ at the door.",
            "Use the PIN ⟦4831⟧ to unlock.",
            "The combination of the safe is ⟦12-34-56⟧.",
            "Kombination vom Tresor: ⟦12-34-56⟧",
            "The access code is ⟦7319⟧.",
            "The access code is ⟦kirschgarten⟧.",
            "The combination of the flags is 4711.",
            "Connect the LED to pin 4711.",
            "The access code is invalid.",
        ],
    );
    check("a.c", &["// PIN is ⟦4831⟧", "// connect the LED to pin 4831", "// the combination of the lock is 4831"]);
}

#[test]
fn passwords_on_the_lines_below_their_name_are_masked() {
    check(
        "chat.md",
        &[
            "tom: what's the wifi password?\nanna: ⟦kirschgarten⟧",
            "**tom:** did you get the password?\n\n**anna:** it's ⟦Kirschgarten7⟧",
            "Tom  10:42 AM\nWhat is the password for the printer?\nAnna  10:43 AM\n⟦kirschgarten7⟧",
            "<tom> pw?\n<anna> ⟦kirschgarten7⟧",
            "The password for staging:\n\n⟦kirschgarten7⟧",
            "The password is:\n\n    ⟦kirschgarten7⟧\n\nThen go on.",
            "tom: did you reset the password?\nanna: tomorrow",
            "tom: what is the password policy?\nanna: strict7rules",
            "Q: How do I reset my password?\nA: Contact support",
            "## Password\n\n⟦kirschgarten7⟧",
            "password\njessica9",
            "## Password\n\nThe rules.",
        ],
    );
}

#[test]
fn the_text_of_elements_is_read() {
    check(
        "a.html",
        &[
            "<li>Password: <code>⟦einfach77⟧</code></li>",
            "<p>The password is <strong>⟦einfach77⟧</strong>.</p>",
            "<p>The password is ⟦Kuchen77⟧</p>",
            "<label for=\"p\">Password:</label>",
            "<p>The password is required.</p>",
            "<string name=\"x\">Mot de passe : obligatoire</string>",
        ],
    );
}

#[test]
fn labels_in_other_languages_are_read() {
    check(
        "notes.txt",
        &[
            "Mot de passe : ⟦Croissant!8⟧",
            "MOT DE PASSE : ⟦Croissant⟧",
            "**Mot de passe :** ⟦Croissant⟧",
            "Mot de passe par défaut : ⟦Croissant8⟧",
            "Contraseña: ⟦Aceituna#22⟧",
            "CONTRASEÑA: ⟦Aceituna⟧",
            "BIOS Kennwort: ⟦Glühwürmchen⟧",
            ":Password: ⟦Klettergerüst⟧",
            "* PSK: ⟦Kuckucksuhr⟧",
            "Пароль: ⟦Кролик77⟧",
        ],
    );
}

#[test]
fn sentences_about_passwords_are_harmless() {
    check(
        "README.md",
        &[
            "The password is required. The token is invalid. The password is stored in the vault.",
            "The password is required",
            "Password: see the wiki",
            "Password: Required",
            "Mot de passe : obligatoire",
            "Mot de passe oublié ?",
            "Contraseña: mínimo 8 caracteres",
            "The password policy is `Strict7`.",
            "The password is `null`. If the password is `undefined`, nothing happens.",
            "The type of the password is `string`, the password is `hashed`.",
            "The password is base64-encoded, the old password was MD5.",
            "The password is `ADMIN_PASSWORD`. The password for the user is `${PASSWORD}`.",
            "Changed the password from optional to required",
            "Changed the password from MD5 to bcrypt",
            "Change password from `pass_word` to `password`",
            "If the password is \"Expired\", log in again.",
            "Login: `client_id` / `client_secret`",
            "Login / Register",
            "Login: Google / Facebook",
            "Credentials: username / password",
            "Log in with GitHub / GitLab",
            "Login: localhost:8080",
            "Login: see docs/login2.md",
            "Change the password from the settings page to continue7.",
            "Set the password to null.",
            "Enter the password `field` and the password 'reset' link",
            "the password is SecureString",
            "The password is at least 8 characters.",
        ],
    );
    check(
        "a.js",
        &[
            "// the password is passed as an argument",
            "// the password is 'userPassword' or `user.password`",
            "// Password: String",
            "const text = \"the password is Kaninchen\";",
            "// login is called by session/index",
            "// login is Component1 / Component2",
        ],
    );
}

proptest! {
    #[test]
    fn sentences_of_any_words_are_read(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..14),
        place in prop::sample::select(&["a.md", "a.html", "a.js"][..]),
    ) {
        let text = format!("// {}", words.concat());
        prop_assert!(!session().text(place, &text).into_inner().is_empty());
    }
}

const WORDS: &[&str] = &[
    "password",
    "mot de passe",
    "Contraseña",
    "пароль",
    "login",
    "credentials",
    " ",
    "\u{a0}",
    ":",
    "：",
    "=",
    "/",
    "*",
    "**",
    "`",
    "«",
    "»",
    "„",
    "“",
    "\"",
    "'",
    "-",
    "–",
    "|",
    "(",
    ")",
    ".",
    "<b>",
    "</b>",
    " is ",
    " from ",
    " to ",
    " für ",
    "admin",
    "Zaunkönig!",
    "é",
    "密码",
    "x7y8z9q",
    "changed",
    "\n",
];

#[test]
fn keys_and_passphrases_are_told_in_sentences() {
    check(
        "a.md",
        &[
            "The API key for staging is `⟦57b416c4a5808066576fad58088f5f38⟧`.",
            "The password for staging is `⟦Bohne-Kaffee⟧`.",
            "The PIN is ⟦551904⟧. Connect the button to pin 13.",
            "The access token is ⟦q8Zk02mLq9Zt4Rb7x⟧ for now.",
            "The API key is `X-API-Key`.",
            "The secret for staging is stored in the vault.",
            "The token for the parser is `IDENTIFIER`.",
        ],
    );
    check(
        "a.rst",
        &["The encryption passphrase is ``⟦drei graue Esel 7⟧``.", "The passphrase is ``the value of the variable``."],
    );
    check("a.tex", &["The login is \\texttt{demo} with password \\texttt{⟦Folien-Satz-3⟧}."]);
    check(
        "a.org",
        &["   kennwort keystore: ⟦asseln_5⟧", "   kennwort keystore: see below", "password hashing: argon2id"],
    );
}

#[test]
fn words_are_passwords_beside_the_name_of_a_user_or_a_place() {
    check(
        "README.md",
        &[
            "- Wifi: SSID `guest`, password: ⟦summergarden⟧",
            "User: `tester`\nPassword: `⟦Test1234!⟧`\n",
            "Benutzername: wart\nPasswort: ⟦sparschwein⟧\n",
            "- URL: https://x.example\n- Usuário: teste\n- Senha: ⟦goiabada⟧\n- Perfil: leitor",
            "* Gebruiker: proef\n* Wachtwoord: ⟦stroopwafel⟧",
            "- Utilisateur : essai\n- Mot de passe : ⟦tartiflette⟧",
            "**Username**: demo  \n**Password**: ⟦pancakes⟧  ",
            "1. Username: demo\n2. Password: ⟦pancakes⟧",
            "VNC password for the kiosk: ⟦zebrastreifen⟧",
            "Das Passwort lautet ⟦sommergarten⟧.",
            "SIM-PIN: ⟦4711⟧",
            "password: summergarden",
            "User: string\nPassword: string",
            "- username: the name\n- password: letters",
            "Username: admin\nPassword: admin",
            "User: admin\nPassword: Bitwarden",
            "Login: email\nPassword: confirmation",
            "User: tom\nPassword: autogenerated",
            "PIN: 12",
        ],
    );
    check("api.js", &["// User: tom\n// Password: letters", "PIN: 4711"]);
}

#[test]
fn passwords_behind_a_user_and_a_slash_need_no_word_before_them() {
    check(
        "notes.txt",
        &[
            "plesk: https://203.0.113.17:8443  admin / ⟦Pl3sk-Panel⟧",
            "- Printer: http://10.0.0.50, login admin / ⟦letterpress⟧",
            "- Grafana: http://10.0.0.5:3000 (admin / ⟦letterpress⟧)",
            "- buyer: kaeufer@acme.example / ⟦Einkaufs!Wagen⟧",
            "Use `root` / `⟦Synology!2⟧`",
            "ssh pi@10.0.0.7 (pw ⟦Himbeere8⟧)",
            "- Roles: admin / member",
            "- login admin / editor",
            "http://10.0.0.5 admin / owner",
            "root / node18-alpine is the image",
            "guest / viewer2 roles",
            "See https://x.example/admin / other",
        ],
    );
    check("a.py", &["# root / Node18-alpine"]);
}

#[test]
fn words_that_can_only_be_passwords_need_little_around_them() {
    check(
        "notes.txt",
        &[
            "tested with pw ⟦S4ndkasten⟧, works",
            "Password used: ⟦Tr0pfstein!⟧",
            "The password has been changed to ⟦Mor4lapostel⟧ last week.",
            "The mailbox (noreply@acme.example, pw ⟦Brief-T4ube⟧) is shared.",
            "It is still using the old password (⟦Sch1enenbus⟧).",
            "<anna> what's the db password? <ben> ⟦K4ffeekanne!⟧",
            "log in with svc/⟦Spr1ngseil⟧ on the test instance",
            "superuser / ⟦K4rtoffel!⟧ works on every box.",
            "nas (backup / ⟦Fl0hmarkt!⟧)",
            "grafana admin/⟦Viol3tt-Glas⟧",
            "ip cam 3: 192.168.4.18 root:⟦P1xelhaufen⟧",
            "pass for the zip is ⟦zipfel_mütze9⟧",
            "password reset doesn't work on iOS17",
            "pw field needs autocomplete in Firefox115, login is a Saml2Provider",
            "the password is hashed by Md5Crypt, then by log4shell",
            "The password page is src/l0gin.rs, see admin/l0gin.html",
            "staff / viewer2",
        ],
    );
    check(
        "a.go",
        &[
            "// old password was ⟦Stachelb33re!7⟧ on the mirror",
            "// login with admin/⟦Spr1ngseil⟧ on the test instance",
            "// password is set by WithPassword2 of Sha512Crypt",
            "x := admin/l0ginPage",
        ],
    );
}

#[test]
fn values_before_their_name_are_masked() {
    check(
        "README.md",
        &[
            "Use `⟦n0ordzee-strand⟧` as the password.",
            "Use `⟦sunflower⟧` as the password for the demo.",
            "Enter \"⟦Tulp3nfeld⟧\" as password when the installer asks.",
            "Verwende ⟦Ost3rglocke⟧ als Passwort.",
            "`⟦b3rgkristall⟧` is the current passphrase of the backup key.",
            "Use `argon2` as the password hash.",
            "Use `--stdin2` as the password source.",
            "Use Keycloak as password store, or your email as password.",
            "`DB_PASS2` is the password of the database.",
            "Choose a strong phrase as the password.",
        ],
    );
    check("a.go", &["// use ⟦w4ldmeister!⟧ as the password for the local registry"]);
}

#[test]
fn names_without_blanks_and_numbers_are_read() {
    check(
        "a.md",
        &[
            "密码是 ⟦Jia0zi-666⟧",
            "管理员密码已改成 ⟦Xi4olongbao⟧。",
            "默认账号 admin，密码 ⟦Dou8jiang⟧",
            "パスワードは「⟦Sakura-77⟧」です",
            "密码是可选的，至少8位",
            "密码必须包含8个字符和数字",
            "The PIN for the safe is ⟦4831⟧.",
            "Customer's PIN was ⟦7731⟧, we reset it to ⟦9046⟧.",
            "The PIN is 4 to 8 digits. The pin changed in 2024.",
        ],
    );
}

#[test]
fn bare_values_need_a_user_or_the_form_of_a_password() {
    check(
        "notes.md",
        &[
            "To connect, use host db1, user app and password ⟦Gurkensalat!⟧.",
            "ssh root@203.0.113.9 (password: ⟦sonnenschirm⟧)",
            "Then log in as **root** with the password **⟦sonnenschirm⟧**.",
            "the htpasswd user is `team` and the pass is `⟦kaulquappe⟧`",
            "old pw ⟦Kaulquappe7⟧, new pw ⟦Kaulquappe8⟧",
            "pw is ⟦kaulquappe8⟧ (was ⟦kaulquappe7⟧)",
            "root password → ⟦Wellenreiter9⟧",
            "I set the password to ⟦Seestern44⟧ and then changed it back to ⟦Seepferd33⟧.",
            "vpn: user anna pass ⟦wellenReiter9⟧",
            "Log in as **root** with the password **prompt**.",
            "the password (required) is read, see the password policy.",
            "password (optional)",
            "the pass is `vertex`",
            "password → hash → database",
        ],
    );
    check(
        "a.py",
        &[
            "# user: admin, password: ⟦seepferdchen⟧",
            "# user: name, password: letters",
            "# user: admin, password: string",
        ],
    );
    check(
        "a.ipynb",
        &[
            "    \"The password of the database is `⟦Muschel-Kalk3⟧`.\\n\",",
            "    \"The password of the database is `required`.\\n\",",
            "    \"password\": \"is Muschel Kalk\",",
        ],
    );
    check("a.sql", &["CREATE TABLE users (login text, password varchar(60) NOT NULL);"]);
}

#[test]
fn settings_questions_and_answers_are_read() {
    check(
        "notes.md",
        &[
            "Set `DB_PASSWORD` to `⟦herbstlaub⟧` in your `.env`.",
            "`DB_PASSWORD` defaults to `⟦herbstlaub7⟧`.",
            "We use `⟦herbst-laub-7⟧` for `JWT_SECRET` in development.",
            "[10:02] anna: pw? [10:03] ben: ⟦Herbst_laub7⟧",
            "<ben> try ⟦H3rbstlaub!⟧ for the root password",
            "ben: password's ⟦Herbstlaub7⟧",
            "the staging pw is now ⟦Zimt&Zucker⟧ - keep it out of the wiki",
            "Sign in at https://stage.acme.test as `qa-lead` using `⟦Marigold!Fjord4⟧`.",
            "Your login: anna\nYour password: ⟦herbstlaub⟧",
            "anna's password: ⟦herbstlaub⟧",
            "Passwort: ⟦Herbstlaub⟧ (bitte ändern)",
            "Le nouveau mot de passe est ⟦Feuilles7⟧ depuis lundi",
            "Password for `deploy@10.0.0.3`: ⟦Herbst&Laub⟧",
            "Change the default admin password from ⟦herbst⟧ to ⟦herbstlaub7⟧",
            "Remove the hardcoded password \"⟦herbstlaub⟧\" from the test",
            "**Username / password:** anna / ⟦herbstlaub⟧",
            "Log in with `anna` / `⟦herbstlaub⟧`.",
            "비밀번호는 ⟦gaeul-77⟧ 입니다",
            "Password | ⟦herbstlaub7⟧",
            "Set `DB_PASSWORD` to a strong password, `API_TOKEN` is `required`.",
            "Set `PASSWORD_HASHER` to `herbstlaub` and `SECRET_NAME` to `herbstlaub7`.",
            "Set `DB_PASSWORD` and `DB_HOST` to `herbstlaub`, as in `a` of `DB_PASSWORD`.",
            "pw? Windows11 asks for it",
            "The field was renamed from `pass` to `passphrase`, login: see session.js / auth2.js",
            "a password with the `authority` of `Granted.FACTOR_PASSWORD` is added, the `name` for `API_TOKEN`",
            "the user's password: required, the default password \"field\"",
            "Log in with `email` / `username`.",
            "Password | Type",
        ],
    );
}

#[test]
fn words_of_other_forms_and_languages_tell_a_password() {
    check(
        "a.md",
        &[
            "La contraseña temporal es **⟦girasol99⟧** hasta mañana.",
            "A senha inicial é **⟦abacaxi2022⟧** e vale até maio.",
            "Angemeldet wird sich als `tester`, das Kennwort lautet `⟦Kornblume-blau-19⟧`.",
            "Loginem jest `lea`, a hasłem `⟦Truskawka.15⟧`.",
            "Set all passwords to `⟦Bergspitze#3⟧` afterwards.",
            "The duress word, which is \"⟦kumquat⟧\", is on the card.",
            "The vault password (⟦otter_riverbank⟧) still works.",
            "The password is made at the first start. On our box it was set to `⟦otter-riverbank⟧`.",
            "lea: und das passwort?\ntom: ⟦regenwurm⟧",
            "lea: and the password policy?\ntom: regenwurm7",
            "Log in on the console and type ⟦Honigtau_44⟧ when it asks.",
            "Das Archiv hat wieder das alte Passwort, also ⟦Aktenzeichen99⟧.",
            "Zugang wie früher, also ⟦dackel08⟧; der Scanner ist umgestellt",
            "The wifi in the rooms changed on Monday; the new key is `⟦Kaffee-und-Kuchen⟧`.",
            "WLAN im Schulungsraum\n  Netz: KURS-5G\n  Schlüssel (am Whiteboard): ⟦lernen-macht-spass⟧\n",
            "La clave del wifi de invitados es ⟦verano_azul⟧; cambia en mayo.",
            "The key is `primary-index-name`. Use the key in the map.",
            "Log in with the password, also python3 works.",
            "If sudo asks: it is **⟦Tr4ktor!Anhaenger⟧**, same as before.",
            "We changed the password everywhere to `⟦Gr@fit-Luchs-88⟧`.",
            "The secret access key (write-only) is stored.",
            "Pass\ntransaction=False to the call, or pass transaction=False.",
            "The password (bcrypt_hash) is stored; it was set to `required`.",
            "Sends requests through `fetchJson` → `getAccessToken` → `fetch`. Set `dbPassword` to `⟦Gr@fit-Luchs-88⟧`.",
        ],
    );
    check(
        "a.log",
        &[
            "A temporary password is generated for root@localhost: ⟦q3J=Am+4jm-h⟧",
            "Initial admin password (change it after login) : ⟦Wq93kfPz⟧",
            "tom@10.0.0.3's password: ⟦gartenzwerg⟧",
        ],
    );
    check(
        "a.json",
        &[
            "  \"text\": \"the password for the scanner share is `⟦Flatbed-1200dpi⟧` btw\"",
            "  \"text\": \"the new password is ⟦Tr4ktor!Anhaenger⟧\",",
            "  \"short\": \"The password must be 8 to 64 characters long\",",
            "  \"wrong\": \"Das Passwort ist leider ungültig\",",
            "  \"hint\": \"The password is `required`\"",
        ],
    );
    check("A.java", &["// O ERP mandou o token por e-mail: ⟦erp-1d334cd8d57be65a3b3187d524053ad0⟧"]);
}

#[test]
fn values_in_parentheses_phrases_and_values_below_are_found() {
    check(
        "postmortem.md",
        &[
            "- falls back to the old root password (⟦4zOwTLnRYYvQee0⟧, still set on log-1)",
            "The root password (⟦4zOwTLnRYYvQee0⟧).",
            "The password (SHA256, salted) is not stored, the token (HMAC-SHA256) is.",
            "La phrase secrète du dépôt est : ⟦girafe tambour lampe 690⟧",
            "The passphrase is: ⟦giraffe tambour lampe 690⟧",
            "The passphrase is: kept in the safe of room 12",
            "The passphrase is the line below, without the blank:\n    ⟦iOFvC3mMnCWPajlodSUmyOFn1VJRjNSM⟧\n",
        ],
    );
    check(
        "a.py",
        &[
            "# it needs the service account: svc_cron / ⟦5DOfceM6DsfkH⟧",
            "# the service account, svc_cron / ⟦5DOfceM6DsfkH⟧",
        ],
    );
}

#[test]
fn keys_of_unknown_kind_and_pairs_behind_prepositions_are_masked() {
    check(
        "daemon.py",
        &[
            "# old key was ⟦P3NMfVFsIe23gR0PHKlK1WJTilDdl717CrDkMVEj⟧, revoke it once the migration is done",
            "# the old key was 3AA5C34371567BD2A1B8E2D0C5F60718293A4B5C, revoke it",
            "# cache: the new key is user_profile_v2_2024_b4x9",
            "# old key was moved, the new key is a foreign key",
            "# signs with the new key:\n#   sk-ecdsa-sha2-nistp256@host.example",
            "# basic auth on staging: acme:⟦UmberIsland307⟧",
            "# basic auth on staging: see the wiki",
            "# basic auth is tested with user:password",
        ],
    );
    check(
        "a.js",
        &["// if the token expired use this one instead: ⟦DcnaWK7jHn7sufSV6kbjDmoq7I3BwHSQKFXW⟧ (valid until 2027)"],
    );
    check(
        "a.md",
        &[
            "Our Zabbix is reachable with guest/⟦quartz_velvet89⟧.",
            "Tested with admin:⟦kettle_nickel10⟧ on staging.",
            "Tested with postgres:15-alpine2 and redis:7.2 on staging.",
            "Reachable with root/var_2024.",
            "Files belong to root:wheel, tested with root:disk6.",
            "Le mot de passe du compte admin est ⟦TX-VRTiZOWWuQW⟧.",
            "The password of the account is an X-Forwarded-Header.",
        ],
    );
}
