//! Tests of tables in source code, and of records.

use crate::testing::check;

#[test]
fn tables_in_strings_of_source_code_are_read() {
    check(
        "a.py",
        &["CSV = \"\"\"\\\nuser,password\nlea,⟦regenwurm⟧\ntom,⟦Feder7ball⟧\n\"\"\"\nuser, password\nx, regenwurm\n"],
    );
    check("a.go", &["const csv = `user,password\nlea,⟦regenwurm⟧\ntom,⟦Feder7ball⟧\n`\n"]);
    check(
        "A.java",
        &[
            "@CsvSource(textBlock = \"\"\"\n    user; password\n    lea; ⟦regenwurm⟧\n    \"\"\")\n",
            "@CsvSource({\n  \"lea, ⟦regenwurm⟧\",\n  \"tom, ⟦Feder7ball⟧\"\n})\nvoid login(String user, String password) {}\n",
            "@CsvSource({\"lea, regenwurm\"})\nvoid login(String user, String title) {}\n",
        ],
    );
    check(
        "a.cs",
        &[
            "[InlineData(\"lea\", \"⟦regenwurm⟧\")]\n[InlineData(\"tom\", \"⟦federball⟧\")]\npublic void Logs_in(string user, string password)\n{\n",
            "[TestCase(\"lea\", 3, \"regenwurm\")]\npublic void Logs_in(string user, int count, string page)\n{\n",
        ],
    );
    check(
        "a.py",
        &[
            "text = \"user,password\\nlea,⟦regenwurm⟧\\ntom,⟦Feder7ball⟧\\n\"",
            "df = pd.DataFrame([[\"lea\", \"⟦regenwurm⟧\"], [\"tom\", \"⟦Feder7ball⟧\"]], columns=[\"user\", \"password\"])",
            "df = pd.DataFrame([[\"lea\", \"regenwurm\"]], columns=[\"user\", \"title\"])",
            "rows = [\n  (\"lea\", \"⟦regenwurm⟧\"),\n]\n# user, password\n",
            "login(\n    user, password\n)\nprint(\n    a, regenwurm\n)\n",
        ],
    );
    check(
        "a.sql",
        &[
            "INSERT INTO k VALUES (1, 'lea@x.org', '⟦regenwurm⟧');\nINSERT INTO k VALUES (2, 'tom@x.org', '⟦federball⟧');\n-- columns: id, mail, password\n",
        ],
    );
}

#[test]
fn rows_with_the_name_of_a_secret_are_read() {
    check(
        "a.txt",
        &[
            "-[ RECORD 1 ]---\nusername | lea\ndb_password | ⟦regenwurm⟧\nport | 5432\n",
            "title | lea\ndb_password | regenwurm\n",
        ],
    );
    check(
        "a.md",
        &[
            "| | Dev | Prod |\n|---|---|---|\n| Server | a.example | b.example |\n| Benutzer | lea | tom |\n| Passwort | ⟦regenwurm⟧ | ⟦Feder!Ball7⟧ |\n",
            "| Setting | Value |\n|---|---|\n| User | lea |\n| Password | ⟦regenwurm⟧ |\n",
            "| Name | Type | Description |\n|---|---|---|\n| user | string | The user |\n| password | string | At least 8 chars |\n",
            "| Action | Keys |\n|---|---|\n| Username | Ctrl+B |\n| Copy Password | Ctrl + C |\n",
            "| Trường | Kiểu | Ghi chú |\n|---|---|---|\n| user | String | Tên |\n| password | String | Tối thiểu 6 ký tự |\n",
        ],
    );
    check(
        "a.rst",
        &[
            "+--------+-------+\n| Field  | Value |\n+--------+-------+\n| id     | 12    |\n| secret | ⟦tDtNX6lNLIvjhHGof3aQJVYV7fMEdlS0jcSk1C971Q78xTXkNwnxgaybovLNwDwoPfw7VuCC5VxUU4_fve-65T⟧ |\n",
        ],
    );
    check(
        "a.html",
        &[
            "<dl><dt>SSID</dt><dd>Gast</dd><dt>WPA2 key</dt><dd><code>⟦wartezimmer⟧</code></dd></dl>",
            "<dl><dt>User</dt><dd>lea</dd><dt>Password</dt><dd>At least 8 characters</dd></dl>",
        ],
    );
}

#[test]
fn rows_with_colons_empty_cells_and_answers_are_read() {
    check("conf/users", &["# login:password:uid\nlea:⟦regenwurm⟧:100\ntom:{PLAIN}⟦federball⟧:101\n"]);
    check(
        "a.adoc",
        &["|===\n|System |User |Password |Note\n\n|A |lea |⟦regenwurm⟧ |\n|B |tom |⟦Feder7ball⟧ |new\n|===\n"],
    );
    check(
        "a.csv",
        &[
            "user_id,question,answer\n7,First pet?,⟦Hansi⟧\n8,First car?,⟦Talbot Samba⟧\n",
            "id,question,answer\n7,How do I reset it?,Click the link\n",
            "nome,utente,parola chiave\nLea,lea,⟦girasole⟧\n",
        ],
    );
}
