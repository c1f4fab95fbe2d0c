//! Recognises keys and values in the notations by which programs write records: serialised objects of PHP, structures in logs of Go,
//! updates of a table of settings, entries of a keychain, labels on a line of their own.

use super::cursor::{Cursor, Place, REACH, Values, line_start};
use super::words::WORDS;

/// The maximum number of bytes between a value and the key behind it.
const BEFORE: usize = 200;

/// Skips the type of the value behind a key that PHP wrote: `s:4:"pass";s:12:"…"`.
pub(super) fn skip_type(cursor: &mut Cursor<'_>) -> bool {
    let Some(rest) = cursor.rest().strip_prefix(b";s:") else { return false };
    let digits = rest.iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
    let follows = rest[digits..].strip_prefix(b":").is_some_and(|rest| matches!(rest, [b'"' | b'\\', ..]));
    if digits > 0 && follows {
        cursor.at += b";s:".len() + digits + 1;
    }
    digits > 0 && follows
}

/// The names of the member of an object that has the value of the key before the object.
const MEMBERS: &[&[u8]] = &[b"\"value\"", b"\"Value\"", b"\"default\"", b"\"Default\"", b"\"defaultValue\""];

/// Moves to the string of an object that is the value of a key: `{ "value": "…" }`, `{ "Type": "String", "Default": "…" }`.
pub(super) fn open_value(cursor: &mut Cursor<'_>) {
    let from = cursor.at;
    let inside = &cursor.rest()[..cursor.rest().len().min(BEFORE)];
    let inside = &inside[..memchr::memchr(b'}', inside).unwrap_or(inside.len())];
    let Some((at, name)) = MEMBERS.iter().find_map(|name| Some((memchr::memmem::find(inside, name)?, name))) else {
        return;
    };
    cursor.at += at + name.len();
    cursor.blanks();
    let found = cursor.take(b":");
    cursor.blanks();
    if !found || cursor.peek() != Some(b'"') {
        cursor.at = from;
    }
}

/// Returns the key of the object that a place is in: `"Jwt": { "Key": "…" }`.
pub(super) fn object_key(text: &[u8], at: usize) -> Option<&[u8]> {
    let before = &text[at.saturating_sub(BEFORE)..at];
    let mut depth = 0;
    let open = before.iter().rposition(|byte| {
        depth += i32::from(*byte == b'}') - i32::from(*byte == b'{');
        depth < 0
    })?;
    let key = before[..open].trim_ascii_end().strip_suffix(b":")?.trim_ascii_end().strip_suffix(b"\"")?;
    memchr::memrchr(b'"', key).map(|open| &key[open + 1..])
}

/// The names of the argument with the value that a call returns if there is no other.
const DEFAULTS: &[&[u8]] =
    &[b"default=", b"default = ", b"fallback=", b"fallback = ", b"default_value=", b"default: ", b"defaultValue: "];

/// Moves from a call to the string of its argument for a missing value: `config.get("x", fallback="…")`.
pub(super) fn skip_to_default(cursor: &mut Cursor<'_>) -> bool {
    let from = cursor.at;
    let name =
        cursor.rest().iter().take(60).take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(byte)).count();
    if name == 0 || cursor.rest().get(name) != Some(&b'(') {
        return false;
    }
    let line = cursor.line_within(BEFORE);
    for name in DEFAULTS {
        let Some(at) = memchr::memmem::find(line, name).filter(|at| b"(, ".contains(&line[at - 1])) else { continue };
        cursor.at += at + name.len();
        if matches!(cursor.peek(), Some(b'"' | b'\'')) && !line[..at].contains(&b')') {
            return true;
        }
        cursor.at = from;
    }
    false
}

/// Returns whether a key is a field of a structure as Go prints it, with its value behind the colon: `{Host:db Password:… Port:1}`.
pub(super) fn is_field(text: &[u8], start: usize, value: usize) -> bool {
    let before = &text[line_start(text, start)..start];
    let Some(open) = memchr::memrchr(b'{', before) else { return false };
    let others = &before[open + 1..];
    let is_pair = |word: &[u8]| word.first().is_some_and(u8::is_ascii_uppercase) && word.contains(&b':');
    text[start].is_ascii_uppercase()
        && text.get(value).is_some_and(|byte| !byte.is_ascii_whitespace() && !b"\"'`{[(&<".contains(byte))
        && !others.contains(&b',')
        && others
            .split(|byte| *byte == b' ')
            .filter(|word| !word.is_empty())
            .all(|word| is_pair(word) || !word.contains(&b':'))
        && (others.is_empty() || others.ends_with(b" "))
}

/// Collects the value that stands before its key in an update of a table or an entry of a keychain:
/// `UPDATE x SET value = '…' WHERE name = 'smtp_password'`, `keychain.set("…", forKey: "refreshToken")`.
pub(super) fn value_before(text: &[u8], start: usize, values: &mut Values) {
    let from = line_start(text, start).max(start.saturating_sub(BEFORE));
    let line = &text[from..start];
    let line = memchr::memmem::rfind(line, b"; ").map_or(line, |end| &line[end + 2..]);
    let Some((quote @ (b'"' | b'\''), head)) = line.split_last() else { return };
    let head = head.trim_ascii_end();
    let (end, is_call) = if let Some(call) = head.strip_suffix(b":") {
        let name = call.iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
        let is_key = [&b"forKey"[..], b"key", b"withKey", b"account", b"service"].contains(&&call[name..]);
        let Some(value) = call[..name].trim_ascii_end().strip_suffix(b",").filter(|_| is_key) else { return };
        (value.trim_ascii_end().len(), true)
    } else {
        let Some(at) = find_where(head).filter(|_| head.ends_with(b"=")) else { return };
        (head[..at].trim_ascii_end().len(), false)
    };
    let Some(inside) = line[..end].strip_suffix(std::slice::from_ref(quote)) else { return };
    let Some(open) = memchr::memrchr(*quote, inside) else { return };
    let before = inside[..open].trim_ascii_end();
    let assigns = before.strip_suffix(b"=").is_some_and(|name| {
        let name = name.trim_ascii_end().to_ascii_lowercase();
        [&b"value"[..], b"val", b"data", b"content", b"setting", b"`value`", b"\"value\""]
            .iter()
            .any(|end| name.ends_with(end))
    });
    if open + 1 < inside.len() && if is_call { before.ends_with(b"(") } else { assigns } {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        values.push((start + open + 1, start + inside.len(), Place { quoted: true, ..Place::default() }));
    }
}

/// Returns whether arguments are names and values in turn, as in MATLAB: `weboptions('Username', 'lab', 'Password', '…')`.
pub(super) fn are_named_arguments(arguments: &[u8]) -> bool {
    let items = || arguments.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let is_name = |item: &[u8]| matches!(item, [b'\'' | b'"', first, ..] if first.is_ascii_uppercase());
    items().count().is_multiple_of(2) && items().step_by(2).all(is_name)
}

/// Returns the place of the last `WHERE` of a statement.
fn find_where(statement: &[u8]) -> Option<usize> {
    [&b" WHERE "[..], b" where ", b" Where "].iter().filter_map(|word| memchr::memmem::rfind(statement, word)).max()
}

/// Returns whether a key is a label alone on its line, and the next line has one word that is no label and no plain word.
pub(super) fn is_label_above(text: &[u8], key: usize, colon: usize, next: usize) -> bool {
    if key > text.len() {
        return false;
    }
    let head = &text[line_start(text, key)..key];
    let alone = head.iter().all(|byte| b" \t*_#>-".contains(byte))
        && text[colon..next].iter().all(|byte| b"*_ \t\r\n".contains(byte));
    let mut lines = text[next..].split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let (word, below) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let odd = |byte: &u8| byte.is_ascii_digit() || b".!?+$%&_@-".contains(byte) || !byte.is_ascii();
    let inner = word.get(1..word.len().saturating_sub(1)).unwrap_or_default();
    alone
        && (4..64).contains(&word.len())
        && !word.iter().any(u8::is_ascii_whitespace)
        && !word.ends_with(b":")
        && word[0].is_ascii_alphanumeric()
        && inner.iter().any(odd)
        && (below.is_empty() || below.ends_with(b":"))
}

/// The number of lines around a key that are read for another one.
const LINES_BESIDE: usize = 2;

/// Returns whether a line near a key, with the same indent, sets a password.
pub(super) fn is_beside_password(text: &[u8], key: (usize, usize)) -> bool {
    let start = line_start(text, key.0);
    let head = &text[start..key.0];
    let sets_password = |line: &[u8]| {
        let name = line.strip_prefix(head).unwrap_or_default();
        let end = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte)).count();
        name.get(end).is_some_and(|byte| b":= ".contains(byte)) && WORDS.names_a_password(&name[..end])
    };
    let above = text[start.saturating_sub(REACH)..start].rsplit(|byte| *byte == b'\n').skip(1).take(LINES_BESIDE);
    let below = text[key.1..text.len().min(key.1 + REACH)].split(|byte| *byte == b'\n').skip(1).take(LINES_BESIDE);
    above.chain(below).any(sets_password)
}

/// The names of a setting with the host of a connection.
const HOSTS: &[&[u8]] = &[b"host", b"server", b"hostname", b"address"];

/// Returns whether the object that has a key on its line has the name of a host, too: `{ server: "irc.host.example", password: "…" }`.
pub(super) fn is_beside_host(text: &[u8], (start, end): (usize, usize)) -> bool {
    let line = line_start(text, start);
    let before = &text[line.max(start.saturating_sub(REACH))..start];
    let behind = text[end..text.len().min(end + REACH)].split(|byte| b"}\n".contains(byte)).next().unwrap_or_default();
    let Some(open) = memchr::memrchr(b'{', before) else { return false };
    [&before[open + 1..], behind].iter().any(|entries| entries.split(|byte| *byte == b',').any(has_host))
}

/// Returns whether an entry of an object is the name of a host with several parts.
fn has_host(entry: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let mut words = entry.split(|byte| !is_part(byte)).filter(|word| !word.is_empty());
    let (name, host) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    HOSTS.iter().any(|known| name.eq_ignore_ascii_case(known))
        && words.next().is_none()
        && host.contains(&b'.')
        && host.last().is_some_and(u8::is_ascii_lowercase)
        && entry.trim_ascii_end().last().is_some_and(|byte| b"\"'".contains(byte))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn values_in_records_of_programs_are_masked() {
        check(
            "dump.sql",
            &[
                "INSERT INTO o VALUES (7,'mail','a:2:{s:4:\"user\";s:3:\"bot\";s:4:\"pass\";s:12:\"⟦Schuh-77-Box⟧\";}','yes');",
                "UPDATE settings SET value = '⟦Eisvogel/8⟧' WHERE name = 'smtp_password';\nUPDATE settings SET value = '587' WHERE name = 'smtp_port';",
                "UPDATE settings SET value = 'Eisvogel/8' WHERE name = 'smtp_title';",
                "ALTER USER etl WITH ENCRYPTED PASSWORD E'⟦rats\\'herr⟧';",
                "CREATE DATABASE LINK l CONNECT TO erp IDENTIFIED BY ⟦sommerhaus88⟧ USING 'ERP';",
            ],
        );
        check(
            "api.log",
            &[
                "10:00 cfg: {Host:db User:app Password:⟦nieder.schlag⟧ Port:5432}",
                "10:00 cfg: {Host:db Password:⟦geheim7⟧}",
                "10:00 cfg: {Host:db, Password:reset}",
            ],
        );
        check(
            "a.swift",
            &[
                "keychain.set(\"⟦x4kd92mvq7ht1rw8zc5bn0gy3jl6pf2saeu9toiw⟧\", forKey: \"refreshToken\")",
                "defaults.set(true, forKey: \"hasToken\")",
            ],
        );
        check("a.rs", &["#[arg(long, env = \"INFLUX_TOKEN\", default_value = \"⟦Qim2bAro4Rhc43wDhL9EWkxpE0jS⟧\")]"]);
        check(
            "a.md",
            &[
                "Benutzer:\nlea\n\nPasswort:\n⟦wind.messer⟧\n\nDanach abmelden.",
                "Password:\nrequired\n\nNext",
                "Password:\nsee-below for more\n",
            ],
        );
    }

    #[test]
    fn words_beside_a_secret_stay_readable() {
        check("hooks.js", &["\"https://hooks.zapier.com/hooks/catch/1234567/⟦a1b2c3d⟧/\""]);
        check("a.json", &["\"Redis\": \"h:6380,password=⟦geheim77⟧,ssl=True,abortConnect=False\""]);
        check("creds.toml", &["token = \"Bearer ⟦q8Zk02mLq9Zt4Rb7x8Kd02mL⟧\""]);
        check("a.txt", &["mnemonic: ⟦legal winner thank year wave sausage worth useful legal winner thank yellow⟧"]);
    }

    #[test]
    fn signs_inside_a_password_do_not_end_it() {
        check(
            "a.py",
            &[
                "\"DRIVER={ODBC 17};SERVER=s;UID=rep;PWD={⟦x;y}}z=w⟧};Encrypt=yes\"",
                "dsn = \"host=db user=api password='⟦drei silben\\' drei⟧' dbname=api\"",
                "\"Host=pg;Database=app;Password=⟦F4rn!im'n.Wald⟧;SSL Mode=Require\"",
            ],
        );
        check("a.go", &["sql.Open(\"mysql\", \"shop:⟦brot(laib)@hof⟧@tcp(db.acme.example:3306)/shop\")"]);
        check("a.xml", &["<from uri=\"sftp://acme@h.example/in?password=RAW(⟦esel+mähne⟧)&amp;delay=60s\"/>"]);
    }

    #[test]
    fn signs_between_words_do_not_make_a_sentence() {
        check("a.env", &["DB_PASSWORD=\"⟦Bäume gießen; 90%⟧\"", "DB_PASSWORD=\"see the wiki; 100% sure\""]);
        check("a.go", &["Password: \"⟦sumpfdotter/im/ried⟧\",", "Password: \"secret/data/app\","]);
        check("a.kts", &["password = \"⟦qR4-kiesel-im-sand⟧\""]);
        check(
            "a.md",
            &["with an invalid JWT:\n    - Redirects to the page.\n    - Returns `403` if `--token-x` is set."],
        );
    }

    #[test]
    fn defaults_and_wrapped_values_are_masked() {
        check(
            "a.py",
            &[
                "password: str = Field(default=\"⟦ober;7⟧\")",
                "password = config.get(\"db\", \"password\", fallback=\"⟦ober;7⟧\")",
                "password = Field(min_length=8, description=\"At least 8 chars\")",
            ],
        );
        check(
            "parameters.json",
            &["\"adminPassword\": { \"value\": \"⟦ober;7x⟧\" }", "\"password\": { \"type\": \"string\" }"],
        );
        check("a.yml", &["password: '⟦it''s;7⟧'", "password: ''", "record: secret:access:sum_rate1h"]);
        check("a.adoc", &["Password::\n  ⟦silo7turm⟧", "Password:: ⟦silo7turm⟧"]);
        check("a.org", &["- Passwort :: ⟦silo7turm⟧"]);
        check(
            "a.m",
            &[
                "opts = weboptions('Username', 'lab', 'Password', '⟦quark↯23⟧', 'Timeout', 30);",
                "fields = list('Name', 'Mail', 'Password', 'Address');",
            ],
        );
        check("a.wiki", &["* '''Password:''' ⟦silo7turm⟧"]);
        check("app.log", &["DbConfig(host=db, password=⟦ober7wasser⟧, port=1)"]);
        check("a.html", &["<dt>Password</dt><dd>⟦Wald7!lichtung⟧</dd>"]);
        check(
            "a.cs",
            &[
                "\"Server=s;User Id=u;Password=⟦ab!cd(7)⟧;Encrypt=true\"",
                "\"Server=s;User Id=u;Password=getPassword(7);Encrypt=true\"",
            ],
        );
    }

    #[test]
    fn keys_and_values_of_objects_are_masked() {
        check(
            "a.json",
            &[
                "\"MasterUserPassword\": { \"Type\": \"String\", \"Default\": \"⟦slate-roof⟧\" }",
                "\"SecretName\": { \"Type\": \"String\", \"Default\": \"prod/db/main\" }",
                "\"Password\": { \"Type\": \"String\", \"Description\": \"slate-roof\" }",
                "\"Jwt\": { \"Issuer\": \"x\", \"Key\": \"⟦long-walk-to-the-harbor⟧\" }",
                "\"Menu\": { \"Issuer\": \"x\", \"Key\": \"long-walk-to-the-harbor\" }",
            ],
        );
        check(
            "a.kts",
            &[
                "buildConfigField(\"String\", \"API_KEY\", \"⟦c5f1a9e3b7d20468⟧\")",
                "buildConfigField(\"String\", \"API_URL\", \"c5f1a9e3b7d20468\")",
            ],
        );
    }

    #[test]
    fn credentials_in_settings_of_tools_are_masked() {
        check("fstab", &["//srv/x /mnt cifs username=u,password=⟦geheim-77⟧,vers=3.0 0 0"]);
        check(".yarnrc.yml", &["    npmAuthIdent: \"ci:⟦seil.winde⟧\""]);
        check("haproxy.cfg", &["    stats auth ops:⟦ober-kante⟧"]);
        check(
            "omniauth.rb",
            &[
                "provider :github, \"Iv1.7d17be197af054b5\", \"⟦7c1e90b3a4d25f68e0917b2c3d4f5a6b8e9d0c1f⟧\", scope: \"x\"",
            ],
        );
        check(
            "store.go",
            &["sessions.NewCookieStore([]byte(\"⟦TQFQAcP1PvqXYB5V1gNK⟧\"), []byte(`⟦eCAjPzkYfBQ9UxdgOH73⟧`))"],
        );
        check("users.txt", &["lea:⟦regenwurm⟧:/home/lea\ntom:⟦federball⟧:/home/tom\n"]);
        check(
            "user-data.yaml",
            &["chpasswd:\n  list: |\n    root:⟦sonne+möwe⟧\n    ubuntu:⟦71qK4xW8302n⟧\n  expire: false\n"],
        );
        check(
            "x.tfstate",
            &[
                "{ \"type\": \"random_password\",\n \"a\": { \"id\": \"none\", \"length\": 20, \"result\": \"⟦kd_7Ts@wX%NP4FGHJKLM⟧\" } }",
            ],
        );
        check(
            "private/smbpasswd",
            &["lea:1001:XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX:⟦5A1C9E77D04B382F66E0A1B9C4D7F210⟧:[U ]:LCT-5F3C2A10:"],
        );
        check(".kube/config", &["    password: ⟦anker.kette⟧"]);
    }

    #[test]
    fn every_private_member_of_a_key_is_masked() {
        let value = "3kQzT8mWx1Ls-Vb7nRf0YdPjCg5HuEa2iOo9KtXw4BvZqMl6SrDy_NhJ8cUp1FgAe7TiWk3RbLx0QzVm5HsYd";
        check(
            "key.jwk",
            &[
                &format!("  \"dp\": \"⟦{value}⟧\",\n  \"n\": \"{}\",", value.to_ascii_lowercase()),
                &format!("{{ kty: 'oct', k: '⟦{}⟧', alg: 'HS256' }}", &value[..43]),
            ],
        );
        let value = "q8Zk0+2mLq9Zt4Rb7x/Kd3jWvN5yTcGfHsPaEuXo1iBhMr6JlVgQdYeSw7CnUtAkFxOzIpRm4LbDvK9+Jy2XcQ==";
        check(
            "a.cs",
            &[&format!(
                "<RSAKeyValue><Modulus>{}</Modulus><Exponent>AQAB</Exponent><P>⟦{value}⟧</P><DP>⟦{value}⟧</DP><InverseQ>⟦{value}⟧</InverseQ></RSAKeyValue>",
                value.to_ascii_lowercase()
            )],
        );
    }

    #[test]
    fn passwords_in_tables_and_names_of_files_are_masked() {
        check(
            "a.html",
            &["<tr><th>Passwort</th>\n<td>⟦tuer.angel⟧</td></tr>", "<tr><td>Password</td><td>string</td></tr>"],
        );
        check("a.txt", &["see export/password-⟦Gr5nFink!y⟧.zip", "see docs/password-reset-2.pdf"]);
    }
}
