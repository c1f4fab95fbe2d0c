//! The steps of the schema. A released step never changes; changes to the schema are new steps.

use std::borrow::Cow;

use super::Step;
use super::finding_keys::assign_finding_keys;

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
