//! Tests of tables in each notation.

use crate::testing::check;

#[test]
fn the_column_of_a_secret_is_masked() {
    check("a.csv", &["user,password,role\nops,⟦einfach77⟧,admin\nbob,\"⟦geheimnis⟧\",dev\n", "a,b\nx1,y22222\n"]);
    check(
        "a.md",
        &[
            "| user | Password |\n| --- | --- |\n| ops | `⟦einfach77⟧` |\n\n| name | port |\n| x | 80808080 |\n",
            "| option | password |\n| --- | --- |\n| a | the password of the user |\n| b | ${PASSWORD} |\n| c | required |\n",
            "| System | User | Password |\n|---|---|---|\n| x | bot | ⟦Klingel⟧ |\n| y | ci | ⟦Pumpe 3⟧ |\n| z | me | see wiki |\n",
            "| User | Password |\n|---|---|\n| username | string |\n| me | ${PASSWORD} |\n| x | required |\n",
            "| Secret | use |\n| --- | --- |\n| `KEY_BASE64` | x |\n",
            "| `NS1_API_KEY` | x |\n| `IPV64_API_KEY` | y |\n",
            "| host | Password |\n| --- | --- |\n| nas | `⟦pfif-77\\|ling⟧` |\n",
            "| password | string | at least 8 characters |\n| --- | --- | --- |\n",
        ],
    );
    check("a.csv", &["Dienst;Benutzer;Passwort;Wer\nHost;acme;⟦Moor.Birke⟧;Mohn\nNews;n@x.y;⟦moos kissen ß⟧;Tom\n"]);
    check("a.csv", &["user,password,api_token\nops,\"⟦a,b77x⟧\",⟦q8Zk02mLq9Zt⟧\n"]);
    check("a.csv", &["логин,пароль\nlea,⟦заяц-на-лугу⟧\n"]);
    check("a.textile", &["|_. System |_. Benutzer |_. Kennwort |\n| Redmine | admin | ⟦kalk.bruch⟧ |\n"]);
    check("a.wiki", &["||User||Password||\n|ops|⟦einfach77⟧|\n"]);
    check("b.wiki", &["{| class=\"wikitable\"\n! Host !! Password\n|-\n| a || ⟦silo7turm⟧\n|}\n"]);
    check("a.org", &["| User | Password |\n|------+----------|\n| ops | ⟦einfach77⟧ |\n"]);
    check("a.adoc", &["|===\n|User |Password\n|ops |⟦einfach77⟧\n|===\n"]);
    check("a.tsv", &["db_host\tx.example\tno\ndb_password\t⟦hasel.nuss⟧\tyes\n"]);
}

#[test]
fn tables_of_steps_rows_of_databases_and_columns_of_texts_are_read() {
    check(
        "a.feature",
        &[
            "  | name | email   | password     |\n  | tom  | t@x.org | ⟦kirschgarten⟧ |\n  | eva  | e@x.org | <password>   |",
            "  | Email    | t@x.org      |\n  | Password | ⟦kirschgarten⟧ |",
            "  | field    | message  |\n  | password | required |",
        ],
    );
    check(
        "a.txt",
        &[
            "user      password      role\ntom       ⟦kirschgarten⟧  admin\n",
            "user | password | role\n-----+----------+------\ntom  | ⟦kirschgarten⟧ | admin\n",
            "Enter the  password here\nkirschgarten  kirschgarten7  x\n",
        ],
    );
    check("a.csv", &["name;pin\ntom;⟦4831⟧\n", "name;port\ntom;4831\n"]);
}

#[test]
fn texts_of_an_interface_in_several_languages_are_no_table_of_secrets() {
    check(
        "strings.csv",
        &[
            "key,en,de,fr\nlogin_password,Password,Passwort,Mot de passe\nlogin_secret,Secret,Geheimnis,Secret\n",
            "login_password,Password,Passwort,Mot de passe\nlogin_title,Welcome,Willkommen,Bienvenue\n",
        ],
    );
}

#[test]
fn each_notation_of_a_table_is_read() {
    check(
        "a.rst",
        &[
            "+------+----------+\n| User | Password |\n+======+==========+\n| tom  | ⟦wald.horn⟧ |\n+------+----------+\n| eva  | ⟦seerose⟧ |\n+------+----------+\n",
            ".. list-table::\n\n   * - User\n     - Password\n   * - tom\n     - ⟦wald.horn⟧\n   * - eva\n     - ⟦seerose⟧\n",
            "====  ==========  =====\nUser  Password    Role\n====  ==========  =====\ntom   ⟦wald.horn⟧  admin\n====  ==========  =====\n",
            "======  ===============\nField   Password\n======  ===============\nlogin   string\n======  ===============\n",
        ],
    );
    check(
        "a.log",
        &[
            "+----+------+------------+\n| id | user | password   |\n+----+------+------------+\n|  1 | tom  | ⟦wald.horn⟧ |\n+----+------+------------+\n",
            "NAME    HOST       PASSWORD\ntom     10.0.0.1   ⟦waldhorn7⟧\neva                ⟦seerose71⟧\n",
        ],
    );
    check("b.adoc", &["|===\n|User\n|Password\n\n|tom\n|⟦wald.horn7⟧\n\n|eva\n|⟦seerose⟧\n|===\n"]);
    check(
        "c.wiki",
        &["{|\n! User\n! Password\n|-\n| tom\n| ⟦wald.horn7⟧\n|}\n", "^ User ^ Password ^\n| tom | ⟦wald.horn⟧ |\n"],
    );
    check(
        "a.html",
        &[
            "<table>\n<tr>\n<th>Name</th>\n<th>Login</th>\n<th>Password</th>\n</tr>\n<tr>\n<td>CRM</td>\n<td></td>\n<td><code>⟦wald.horn⟧</code></td>\n</tr>\n</table>",
            "<tr><th>Option</th><th>Password</th></tr><tr><td>type</td><td>string</td></tr><tr><td>max</td><td>required</td></tr>",
        ],
    );
    check(
        "a.xml",
        &[
            "<row><entry>User</entry><entry>Password</entry></row>\n<row><entry>tom</entry><entry>⟦wald.horn⟧</entry></row>",
        ],
    );
    check(
        "a.json",
        &[
            "{\"columns\": [\"id\", \"user\", \"password\"], \"rows\": [[1, \"tom\", \"⟦wald.horn⟧\"], [2, \"eva\", \"⟦see,rose⟧\"]]}",
            "{\"fields\": [\"user\", \"password\"], \"labels\": [\"User\", \"Password\"]}",
            "{\"required\": [\"user\", \"password\"], \"properties\": {\"a\": [\"type\", \"string\"]}}",
        ],
    );
    check("a.yml", &["columns: [name, password]\nrows:\n  - [tom, ⟦wald.horn7⟧]\n  - [eva, ⟦seerose⟧]\n"]);
    check(
        "a.py",
        &[
            "# name, user, password\nROWS = [\n    (\"a\", \"tom\", \"⟦waldhorn7⟧\"),\n    (\"b\", \"eva\", \"\"),\n]",
            "@pytest.mark.parametrize(\"user,password\", [(\"tom\", \"⟦waldhorn7⟧\"), (\"eva\", \"⟦seerose⟧\")])",
            "# user, password, role\ndef login(user, password, role):\n    check(\"a\", \"b4r5c6d7\", x)",
            "names(\"group\", \"password\"),\n(x, group=\"security_rules1\"),",
            "def login(user, password):\n    return call(\"tom\", \"waldhorn.x\")",
        ],
    );
    check("a.go", &["[]string{\"user\", \"password\"},\n\t{\"tom\", \"⟦waldhorn7⟧\"},"]);
    check("a.tex", &["User & Password \\\\\n\\hline\ntom & ⟦wald.horn7⟧ \\\\\n"]);
    check("d.adoc", &["|===\n|Host |User |Password\n\n|nas\n|tom\n|⟦wald.horn7⟧\n\n|web\n|eva\n|⟦seerose⟧\n|===\n"]);
    check(
        "b.rst",
        &[".. csv-table:: Accounts\n   :header: \"Host\", \"User\", \"Password\"\n\n   nas, tom, ⟦waldhorn⟧\n"],
    );
    check(
        "a.rb",
        &["[:login, :password],\n['tom', '⟦waldhorn7⟧'],\n", "[:token, :password],\nrender('a', 'waldhorn7x')\n"],
    );
    check("a.ex", &["# {login, password}\n[{\"tom\", \"⟦waldhorn7⟧\"}]"]);
    check(
        "a.ndjson",
        &[
            "{\"columns\":[\"login\",\"password\"]}\n{\"values\":[\"tom\",\"⟦waldhorn7⟧\"]}\n{\"values\":[\"eva\",\"⟦seerose8⟧\"]}\n",
        ],
    );
    check("users.txt", &["# login;password;group\ntom;⟦waldhorn⟧;x\n\neva;⟦seerose⟧;y\n"]);
}

#[test]
fn columns_that_describe_secrets_stay() {
    check(
        "a.md",
        &[
            "| Database | Password | TLS |\n| --- | --- | --- |\n| Postgres | yes | yes |\n| SQLite | no | Partial |\n",
            "| Field | Token |\n| --- | --- |\n| type | `string` |\n| length | 64 |\n",
            "| Method | Password | Key |\n| --- | --- | --- |\n| LDAP | bcrypt hash | none |\n| OIDC | delegated | SHA-256 |\n",
            "| Name | Secret |\n| --- | --- |\n| db | my-app-db |\n| tls | prod/tls/v2 |\n",
        ],
    );
    check("words.csv", &["token,count\nhouse,12\ncovid-19,7\n3rd,2\n"]);
    check("a.rs", &["/// | user | password |\nlet x = |user, password| login(user, password);"]);
}
