//! The schema of the state file, version by version. A released step never changes; changes to the schema are new steps.

mod finding_keys;

use std::borrow::Cow;

use rusqlite::{Connection, TransactionBehavior};

use super::StoreError;
pub(super) use finding_keys::assign_finding_keys;

/// A rewrite of the data that SQL alone cannot do.
type Rewrite = fn(&Connection) -> Result<(), StoreError>;

/// A step to one version of the schema.
#[derive(Clone)]
pub(super) struct Step {
    sql: Cow<'static, str>,
    /// The rewrite that runs after `sql`.
    rewrite: Option<Rewrite>,
}

const fn sql(sql: &'static str) -> Step {
    Step { sql: Cow::Borrowed(sql), rewrite: None }
}

pub(super) const STEPS: &[Step] = &[
    // 1
    sql("CREATE TABLE repository (path TEXT PRIMARY KEY, opened_at TEXT NOT NULL) STRICT;
     CREATE TABLE review (
         id TEXT PRIMARY KEY,
         repository TEXT NOT NULL,
         target TEXT NOT NULL,
         fingerprint TEXT NOT NULL,
         created_at TEXT NOT NULL,
         run_dir TEXT NOT NULL,
         output TEXT NOT NULL,
         facts TEXT NOT NULL
     ) STRICT;
     CREATE INDEX review_of_change ON review (repository, target, created_at);
     CREATE TABLE decision (
         review_id TEXT NOT NULL REFERENCES review (id) ON DELETE CASCADE,
         finding_id TEXT NOT NULL,
         decision TEXT NOT NULL,
         reason TEXT,
         decided_at TEXT NOT NULL,
         PRIMARY KEY (review_id, finding_id)
     ) STRICT;
     CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;"),
    // 2: values that the user marked as not secret, by keyed digest.
    sql("CREATE TABLE allowed_secret (
         repository TEXT NOT NULL,
         value TEXT NOT NULL,
         rule TEXT NOT NULL,
         place TEXT NOT NULL,
         allowed_at TEXT NOT NULL,
         PRIMARY KEY (repository, value)
     ) STRICT;"),
    // 3: postings to GitLab, written before each request.
    sql("CREATE TABLE posting (
         id INTEGER PRIMARY KEY,
         host TEXT NOT NULL,
         project TEXT NOT NULL,
         iid INTEGER NOT NULL,
         review_id TEXT,
         plan TEXT NOT NULL,
         begun_at TEXT NOT NULL,
         ended_at TEXT
     ) STRICT;
     CREATE INDEX posting_of_request ON posting (host, project, iid, begun_at);
     CREATE TABLE posting_item (
         posting INTEGER NOT NULL REFERENCES posting (id) ON DELETE CASCADE,
         key TEXT NOT NULL,
         state TEXT NOT NULL,
         note INTEGER,
         detail TEXT,
         at TEXT NOT NULL,
         PRIMARY KEY (posting, key)
     ) STRICT;
     CREATE TABLE secret_name (name TEXT PRIMARY KEY, kept_at TEXT NOT NULL) STRICT;"),
    // 4: conversations. A message is never changed once it is done, and never removed; an edited message is marked as superseded.
    sql("CREATE TABLE conversation (
         id TEXT PRIMARY KEY,
         repository TEXT NOT NULL,
         target TEXT NOT NULL,
         title TEXT NOT NULL,
         fingerprint TEXT NOT NULL,
         context TEXT NOT NULL,
         marker TEXT NOT NULL,
         agent TEXT NOT NULL,
         model TEXT,
         created_at TEXT NOT NULL,
         updated_at TEXT NOT NULL,
         busy_by TEXT,
         busy_until INTEGER NOT NULL DEFAULT 0
     ) STRICT;
     CREATE INDEX conversation_of_change ON conversation (repository, target, updated_at);
     CREATE TABLE message (
         conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
         number INTEGER NOT NULL,
         role TEXT NOT NULL,
         state TEXT NOT NULL,
         text TEXT NOT NULL,
         sent TEXT NOT NULL,
         attached TEXT NOT NULL,
         facts TEXT NOT NULL,
         superseded INTEGER NOT NULL DEFAULT 0,
         created_at TEXT NOT NULL,
         PRIMARY KEY (conversation_id, number)
     ) STRICT;
     CREATE TABLE compaction (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
         through INTEGER NOT NULL,
         intent TEXT NOT NULL,
         summary TEXT NOT NULL,
         facts TEXT NOT NULL,
         created_at TEXT NOT NULL
     ) STRICT;
     CREATE TABLE allowance (
         conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
         what TEXT NOT NULL,
         PRIMARY KEY (conversation_id, what)
     ) STRICT;
     CREATE TABLE fix (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
         number INTEGER NOT NULL,
         line INTEGER NOT NULL,
         path TEXT NOT NULL,
         at INTEGER NOT NULL,
         old TEXT NOT NULL,
         new TEXT NOT NULL,
         created INTEGER NOT NULL,
         after TEXT NOT NULL,
         applied_at TEXT NOT NULL,
         undone_at TEXT
     ) STRICT;"),
    // 5: fixes of findings in addition to those of messages; the hunks that the user has viewed.
    sql("CREATE TABLE applied (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         conversation_id TEXT REFERENCES conversation (id) ON DELETE CASCADE,
         number INTEGER,
         line INTEGER,
         review_id TEXT REFERENCES review (id) ON DELETE CASCADE,
         finding_id TEXT,
         path TEXT NOT NULL,
         at INTEGER NOT NULL,
         old TEXT NOT NULL,
         new TEXT NOT NULL,
         created INTEGER NOT NULL,
         after TEXT NOT NULL,
         applied_at TEXT NOT NULL,
         undone_at TEXT
     ) STRICT;
     INSERT INTO applied SELECT id, conversation_id, number, line, NULL, NULL, path, at, old, new, created, after, applied_at, undone_at FROM fix;
     DROP TABLE fix;
     ALTER TABLE applied RENAME TO fix;
     CREATE TABLE viewed (
         repository TEXT NOT NULL,
         digest TEXT NOT NULL,
         viewed_at TEXT NOT NULL,
         PRIMARY KEY (repository, digest)
     ) STRICT;"),
    // 6: the summaries of reviews for the history, and the texts that are searched. Triggers derive both, so that code that
    // writes a review or a message has nothing more to do.
    sql("CREATE INDEX posting_of_review ON posting (review_id);
     CREATE INDEX review_by_time ON review (created_at, id);
     CREATE INDEX conversation_by_time ON conversation (updated_at, id);
     CREATE TABLE brief (
         review_id TEXT PRIMARY KEY REFERENCES review (id) ON DELETE CASCADE,
         agent TEXT,
         model TEXT,
         critical INTEGER,
         high INTEGER,
         medium INTEGER,
         low INTEGER,
         info INTEGER,
         tokens INTEGER,
         cost REAL
     );
     CREATE TABLE found_text (
         id INTEGER PRIMARY KEY,
         kind TEXT NOT NULL,
         owner TEXT NOT NULL,
         part TEXT NOT NULL,
         body TEXT NOT NULL
     ) STRICT;
     CREATE INDEX found_text_of ON found_text (kind, owner, part);
     CREATE VIRTUAL TABLE found USING fts5
         (body, content = 'found_text', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');
     CREATE TRIGGER found_text_added AFTER INSERT ON found_text BEGIN
         INSERT INTO found (rowid, body) VALUES (NEW.id, NEW.body);
     END;
     CREATE TRIGGER found_text_removed AFTER DELETE ON found_text BEGIN
         INSERT INTO found (found, rowid, body) VALUES ('delete', OLD.id, OLD.body);
     END;
     CREATE VIEW found_review AS
         SELECT id, repository, CASE WHEN json_valid(target) THEN target ELSE '{}' END AS target,
             CASE WHEN json_valid(output) THEN output ELSE '{}' END AS output FROM review;
     CREATE VIEW found_brief AS
         SELECT id, output ->> '$.meta.agent', output ->> '$.meta.model',
             (SELECT count(*) FROM json_each(output, '$.findings') WHERE value ->> '$.severity' = 'critical'),
             (SELECT count(*) FROM json_each(output, '$.findings') WHERE value ->> '$.severity' = 'high'),
             (SELECT count(*) FROM json_each(output, '$.findings') WHERE value ->> '$.severity' = 'medium'),
             (SELECT count(*) FROM json_each(output, '$.findings') WHERE value ->> '$.severity' = 'low'),
             (SELECT count(*) FROM json_each(output, '$.findings') WHERE value ->> '$.severity' = 'info'),
             (output ->> '$.meta.token_usage.input') + (output ->> '$.meta.token_usage.output'),
             CAST(output ->> '$.meta.cost_usd' AS REAL)
         FROM found_review;
     CREATE VIEW found_of_review AS
         SELECT id AS owner, 'change' AS part,
             repository || ' ' || coalesce((SELECT group_concat(atom, ' ') FROM json_each(target)), '') || ' '
                 || coalesce(output ->> '$.meta.agent', '') AS body FROM found_review
         UNION ALL
         SELECT id, 'summary', output ->> '$.summary_markdown' FROM found_review
             WHERE output ->> '$.summary_markdown' IS NOT NULL
         UNION ALL
         SELECT found_review.id, coalesce(one.value ->> '$.id', ''),
             coalesce((one.value ->> '$.title') || char(10), '') || coalesce(one.value ->> '$.body_markdown', '') || char(10)
                 || coalesce(one.value ->> '$.anchor.path', one.value ->> '$.path', '')
             FROM found_review, json_each(found_review.output, '$.findings') AS one;
     CREATE TRIGGER review_added AFTER INSERT ON review BEGIN
         INSERT OR REPLACE INTO brief SELECT * FROM found_brief WHERE id = NEW.id;
         INSERT INTO found_text (kind, owner, part, body) SELECT 'review', owner, part, body FROM found_of_review
             WHERE owner = NEW.id;
     END;
     CREATE TRIGGER review_written AFTER UPDATE OF output ON review BEGIN
         INSERT OR REPLACE INTO brief SELECT * FROM found_brief WHERE id = NEW.id;
         DELETE FROM found_text WHERE kind = 'review' AND owner = NEW.id;
         INSERT INTO found_text (kind, owner, part, body) SELECT 'review', owner, part, body FROM found_of_review
             WHERE owner = NEW.id;
     END;
     CREATE TRIGGER review_removed AFTER DELETE ON review BEGIN
         DELETE FROM found_text WHERE kind = 'review' AND owner = OLD.id;
     END;
     CREATE TRIGGER conversation_added AFTER INSERT ON conversation BEGIN
         INSERT INTO found_text (kind, owner, part, body) VALUES ('conversation', NEW.id, 'change',
             NEW.repository || ' ' || coalesce((SELECT group_concat(atom, ' ') FROM json_each(
                 CASE WHEN json_valid(NEW.target) THEN NEW.target ELSE '{}' END)), ''));
     END;
     CREATE TRIGGER conversation_removed AFTER DELETE ON conversation BEGIN
         DELETE FROM found_text WHERE kind = 'conversation' AND owner = OLD.id;
     END;
     CREATE TRIGGER message_added AFTER INSERT ON message WHEN NEW.state <> 'streaming' AND NEW.role <> 'note' BEGIN
         INSERT INTO found_text (kind, owner, part, body) VALUES ('conversation', NEW.conversation_id, NEW.number, NEW.text);
     END;
     CREATE TRIGGER message_written AFTER UPDATE OF text, state ON message
     WHEN NEW.state <> 'streaming' AND NEW.role <> 'note' BEGIN
         DELETE FROM found_text
             WHERE kind = 'conversation' AND owner = NEW.conversation_id AND part = CAST(NEW.number AS TEXT);
         INSERT INTO found_text (kind, owner, part, body) VALUES ('conversation', NEW.conversation_id, NEW.number, NEW.text);
     END;
     CREATE TRIGGER message_removed AFTER DELETE ON message BEGIN
         DELETE FROM found_text
             WHERE kind = 'conversation' AND owner = OLD.conversation_id AND part = CAST(OLD.number AS TEXT);
     END;
     UPDATE review SET output = output;
     INSERT INTO found_text (kind, owner, part, body) SELECT 'conversation', id, 'change',
         repository || ' ' || coalesce((SELECT group_concat(atom, ' ') FROM json_each(
             CASE WHEN json_valid(target) THEN target ELSE '{}' END)), '') FROM conversation;
     UPDATE message SET text = text;"),
    // 7: trusted repositories, with digests of the trusted content.
    sql("CREATE TABLE trust (
         repository TEXT NOT NULL,
         digest TEXT NOT NULL,
         wants TEXT NOT NULL,
         given_at TEXT NOT NULL,
         PRIMARY KEY (repository, digest)
     ) STRICT;"),
    // 8: a finding has one key in all reviews of a change.
    Step {
        sql: Cow::Borrowed(
            "ALTER TABLE decision RENAME COLUMN finding_id TO finding_key;
             ALTER TABLE fix RENAME COLUMN finding_id TO finding_key;
             DROP VIEW found_of_review;
             CREATE VIEW found_of_review AS
                 SELECT id AS owner, 'change' AS part,
                     repository || ' ' || coalesce((SELECT group_concat(atom, ' ') FROM json_each(target)), '') || ' '
                         || coalesce(output ->> '$.meta.agent', '') AS body FROM found_review
                 UNION ALL
                 SELECT id, 'summary', output ->> '$.summary_markdown' FROM found_review
                     WHERE output ->> '$.summary_markdown' IS NOT NULL
                 UNION ALL
                 SELECT found_review.id, coalesce(one.value ->> '$.key', ''),
                     coalesce((one.value ->> '$.title') || char(10), '') || coalesce(one.value ->> '$.body_markdown', '')
                         || char(10) || coalesce(one.value ->> '$.anchor.path', one.value ->> '$.path', '')
                     FROM found_review, json_each(found_review.output, '$.findings') AS one;",
        ),
        rewrite: Some(assign_finding_keys),
    },
    // 9: the cache of the inbox, the reader's marks, and the marks before each change.
    sql("CREATE TABLE inbox_item (key TEXT PRIMARY KEY, source TEXT NOT NULL, item TEXT NOT NULL) STRICT;
     CREATE TABLE inbox_response (
         source TEXT NOT NULL,
         path TEXT NOT NULL,
         etag TEXT NOT NULL,
         next INTEGER,
         body TEXT NOT NULL,
         PRIMARY KEY (source, path)
     ) STRICT;
     CREATE TABLE inbox_mark (key TEXT PRIMARY KEY, mark TEXT NOT NULL) STRICT;
     CREATE TABLE inbox_undo (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         key TEXT NOT NULL,
         before TEXT,
         at TEXT NOT NULL
     ) STRICT;"),
    // 10: merge requests that were fetched before they are opened; the review queue, and the runs that it started.
    sql("CREATE TABLE inbox_prefetch (
         key TEXT PRIMARY KEY,
         state TEXT NOT NULL,
         request TEXT NOT NULL,
         patch BLOB
     ) STRICT;
     CREATE TABLE queue_item (
         key TEXT PRIMARY KEY,
         position INTEGER NOT NULL,
         entry TEXT NOT NULL,
         state TEXT NOT NULL,
         reason TEXT,
         run_id TEXT,
         attempts INTEGER NOT NULL DEFAULT 0,
         changed_at TEXT NOT NULL
     ) STRICT;
     CREATE TABLE queue_run (
         run_id TEXT PRIMARY KEY,
         key TEXT NOT NULL,
         digest TEXT NOT NULL,
         day TEXT NOT NULL,
         started_at TEXT NOT NULL,
         state TEXT NOT NULL,
         tokens INTEGER NOT NULL,
         cost REAL NOT NULL,
         seconds INTEGER NOT NULL
     ) STRICT;
     CREATE INDEX queue_run_of_day ON queue_run (day);
     CREATE INDEX queue_run_of_digest ON queue_run (digest);"),
    // 11: findings that a second opinion refuted, with their code.
    sql("CREATE TABLE refutation (
         scope TEXT NOT NULL,
         finding_key TEXT NOT NULL,
         code TEXT NOT NULL,
         finding TEXT NOT NULL,
         opinion TEXT NOT NULL,
         refuted_at TEXT NOT NULL,
         PRIMARY KEY (scope, finding_key, code)
     ) STRICT;"),
];

/// Migrates a file to the latest version, in one transaction. Two processes may try at once, so the version is read again under the lock.
pub(super) fn run(connection: &mut Connection) -> Result<(), StoreError> {
    take(connection, STEPS)
}

fn take(connection: &mut Connection, steps: &[Step]) -> Result<(), StoreError> {
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    let version = |connection: &Connection| connection.pragma_query_value(None, "user_version", |row| row.get(0));
    let found: i64 = version(connection)?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    if found == known {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = version(&transaction)?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    for step in steps.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(&step.sql)?;
        if let Some(rewrite) = step.rewrite {
            rewrite(&transaction)?;
        }
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
pub(super) use tests::file as file_of_version;

#[cfg(test)]
mod tests {
    use rusqlite::types::Value;

    use super::*;
    use crate::{HistoryQuery, Store};

    /// Sample rows for the tables that each version added.
    const KEPT: [&str; 11] = [
        r#"INSERT INTO repository VALUES ('/r', '2026-01-01T00:00:00.000Z');
           INSERT INTO review VALUES ('a', '/r', '{"kind":"staged"}', 'f', '2026-01-01T00:00:00.000Z', '/runs/a',
               '{"summary_markdown":"Fine.","findings":[{"id":"f1","severity":"high","path":"a.rs","title":"Überlauf",
                 "body_markdown":"It wraps."}],"meta":{"agent":"codex","token_usage":{"input":10,"output":2}}}', '{}');
           INSERT INTO review VALUES ('b', '/r', 'no JSON', 'f', '2026-01-02T00:00:00.000Z', '', 'no JSON', '{}');
           INSERT INTO decision VALUES ('a', 'f1', 'dismissed', 'known', 't'), ('a', 'f2', 'accepted', NULL, 't');
           INSERT INTO state VALUES ('desk', '{}');"#,
        "INSERT INTO allowed_secret VALUES ('/r', 'digest', 'rule', 'a.py:1', 't');",
        "INSERT INTO posting VALUES (1, 'https://h', 'a/b', 7, 'a', '{}', 't1', NULL);
         INSERT INTO posting_item VALUES (1, 'k', 'landed', 9, NULL, 't');
         INSERT INTO secret_name VALUES ('https://h', 't');",
        "INSERT INTO conversation VALUES ('c', '/r', '{\"kind\":\"staged\"}', 'Why', 'f', 'x', 'm', 'codex', NULL, '1',
             '2026-01-03T00:00:00.000Z', NULL, 0);
         INSERT INTO message VALUES ('c', 1, 'user', 'done', 'Why does it wrap?', '', '[]', '{}', 0, '1'),
             ('c', 2, 'assistant', 'streaming', 'Beca', '', '[]', '{}', 0, '1');
         INSERT INTO compaction VALUES (1, 'c', 1, 'i', 's', '{}', 't');
         INSERT INTO allowance VALUES ('c', 'read');
         INSERT INTO fix VALUES (1, 'c', 2, 0, 'a.rs', 0, 'old', 'new', 0, 'h', 't', NULL);",
        "INSERT INTO fix VALUES (2, NULL, NULL, NULL, 'a', 'f1', 'a.rs', 0, 'old', 'new', 0, 'h', 't', NULL);
         INSERT INTO viewed VALUES ('/r', 'digest', 't');",
        "",
        "INSERT INTO trust VALUES ('/r', 'digest', '{}', '2026-01-01T00:00:00.000Z');",
        "",
        "INSERT INTO inbox_item VALUES ('k', 's', '{}');
         INSERT INTO inbox_response VALUES ('s', 'user', 'W/1', NULL, '{}');
         INSERT INTO inbox_mark VALUES ('k', '{}');
         INSERT INTO inbox_undo VALUES (1, 'k', NULL, 't');",
        "INSERT INTO inbox_prefetch VALUES ('k', 'a/t', '{}', x'00');
         INSERT INTO queue_item VALUES ('k', 1, '{}', 'waiting', NULL, NULL, 0, 't');
         INSERT INTO queue_run VALUES ('r', 'k', 'd', '2026-01-01', 't', 'done', 12, 0.5, 60);",
        "INSERT INTO refutation VALUES ('/r', 'k', '1:a', '{}', '{}', 't');",
    ];

    /// Returns all rows of all tables that hold texts or decisions of a user.
    fn all(connection: &Connection) -> Vec<(String, Vec<Vec<Value>>)> {
        let mut query = connection
            .prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%' AND name NOT LIKE 'found%'
                      ORDER BY name",
            )
            .expect("asked");
        let names: Vec<String> =
            query.query_map([], |row| row.get(0)).expect("asked").collect::<Result<_, _>>().expect("names");
        let rows = |name: &String| {
            let mut query = connection.prepare(&format!("SELECT * FROM {name} ORDER BY rowid")).expect("asked");
            let width = query.column_count();
            let rows = query.query_map([], |row| (0..width).map(|at| row.get(at)).collect::<Result<Vec<Value>, _>>());
            rows.expect("asked").collect::<Result<Vec<_>, _>>().expect("rows")
        };
        names.iter().map(|name| (name.clone(), rows(name))).collect()
    }

    /// Returns whether a row contains all values of another row in order. Newer versions may have more columns.
    fn holds(row: &[Value], values: &[Value]) -> bool {
        let mut rest = row.iter();
        values.iter().all(|value| rest.any(|one| one == value))
    }

    /// Creates a file of a version with its sample rows.
    pub(crate) fn file(path: &std::path::Path, version: usize) -> Vec<(String, Vec<Vec<Value>>)> {
        let mut connection = Connection::open(path).expect("opened");
        for at in 0..version {
            take(&mut connection, &STEPS[..=at]).expect("made");
            connection.execute_batch(KEPT[at]).expect("kept");
        }
        all(&connection)
    }

    #[test]
    fn every_earlier_version_is_brought_up_to_date_with_all_that_is_in_it() {
        assert_eq!(KEPT.len(), STEPS.len(), "each version has its rows here");
        for version in 1..=STEPS.len() {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("state.sqlite3");
            let before = file(&path, version);
            assert!(before.iter().all(|(table, rows)| !rows.is_empty() || table == "brief"), "{version}: {before:?}");
            let store = Store::open(&path).expect("opened");
            {
                let connection = store.lock();
                let after = all(&connection);
                for (name, rows) in &before {
                    let there = &after.iter().find(|(other, _)| other == name).expect("the table").1;
                    if version < 8 && ["review", "decision", "fix"].contains(&name.as_str()) {
                        // Findings have other keys there; see `finding_keys`.
                        assert_eq!(there.len(), rows.len(), "version {version}: {name}");
                        continue;
                    }
                    for row in rows {
                        assert!(
                            there.iter().any(|other| holds(other, row)),
                            "version {version}: {name} {row:?} in {there:?}"
                        );
                    }
                }
                super::super::recovery::check(&connection).expect("whole");
            }
            // The old rows work with all later features.
            assert_eq!(store.recent_repositories(9).expect("read"), ["/r"]);
            let decisions = store.decisions("a").expect("read");
            store.decide("a", &[decisions[0].finding_key.clone()], Some("accepted"), None, "t").expect("decided");
            assert_eq!(store.decisions("a").expect("read").len(), 2);
            let found = |words: &str| {
                let query = HistoryQuery { words: words.into(), limit: 9, ..HistoryQuery::default() };
                store.history(&query).expect("searched").into_iter().map(|row| row.id).collect::<Vec<_>>()
            };
            assert_eq!(found("uberl wraps"), ["a"], "version {version}");
            assert_eq!(found("does wrap"), if version >= 4 { vec!["c"] } else { vec![] }, "version {version}");
            assert_eq!(found("beca").len(), 0, "not while it is written");
            assert_eq!(found("").len(), if version >= 4 { 3 } else { 2 });
            drop(store);
            Store::open(&path).expect("opened once more");
        }
    }

    #[test]
    fn a_step_that_fails_leaves_the_file_as_it_was() {
        for version in 1..STEPS.len() {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("state.sqlite3");
            let before = file(&path, version);
            let mut steps = STEPS[..=version].to_vec();
            steps[version].sql = format!("{} INSERT INTO no_such_table VALUES (1);", steps[version].sql).into();
            let mut connection = Connection::open(&path).expect("opened");
            take(&mut connection, &steps).expect_err("it fails");
            drop(connection);
            let connection = Connection::open(&path).expect("opened");
            assert_eq!(all(&connection), before);
            let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("read");
            assert_eq!(found, i64::try_from(version).expect("small"));
            drop(connection);
            Store::open(&path).expect("the real steps take it further");
        }
    }
}
