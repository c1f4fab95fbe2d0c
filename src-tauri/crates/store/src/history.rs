//! The history: lists all reviews and conversations in pages, searches and removes them.
//!
//! In: words, filters, the last known row. Out: short rows, made without reading the reviews themselves.

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params_from_iter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Store, StoreError};

/// The characters before and after a match in [`SearchHit::text`].
pub const MARKS: (char, char) = ('\u{1}', '\u{2}');

/// A query of the history.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    /// The search words. All must occur in one text; each matches as a prefix.
    pub words: String,
    /// A repository's path, or a project's path on GitLab.
    pub place: Option<String>,
    /// `review` or `conversation`.
    pub kind: Option<String>,
    /// The last row of the previous page.
    pub after: Option<HistoryCursor>,
    /// The maximum number of rows.
    pub limit: u32,
}

/// The last row of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryCursor {
    /// The time of the row.
    pub at: String,
    /// The ID of the row.
    pub id: String,
}

/// A review or conversation, summarized.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryRow {
    /// The ID of the review or conversation.
    pub id: String,
    /// The repository's path; empty for a patch or merge request without one.
    pub repository: String,
    /// The target, as JSON.
    pub target: String,
    /// The time at which the review was created or the conversation was last continued, RFC 3339.
    pub at: String,
    /// The kind of the row, with its details.
    pub what: HistoryKind,
    /// The search match, if the query has words.
    pub hit: Option<SearchHit>,
}

/// The kind of a row, with its details.
#[derive(Clone, Debug, PartialEq)]
pub enum HistoryKind {
    /// A review.
    Review(Brief),
    /// A conversation.
    Conversation {
        /// The title.
        title: String,
        /// The agent that was asked last.
        agent: String,
        /// The number of messages.
        messages: u32,
    },
}

/// The summary of a review.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Brief {
    /// The agent that reviewed.
    pub agent: String,
    /// The model, if one was named.
    pub model: Option<String>,
    /// The numbers of findings by severity: critical, high, medium, low, info.
    pub severities: [u32; 5],
    /// The number of accepted findings.
    pub accepted: u32,
    /// The number of dismissed findings.
    pub dismissed: u32,
    /// The number of comments of the review that were posted to GitLab.
    pub posted: u32,
    /// The number of tokens, if the agent reported it.
    pub tokens: Option<u64>,
    /// The cost in US dollars, if it was reported.
    pub cost: Option<f64>,
}

/// A search match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchHit {
    /// The ID of the finding or message, or `summary` or `change`.
    pub part: String,
    /// An excerpt, with the matched words between [`MARKS`].
    pub text: String,
    /// The number of texts that match.
    pub count: u32,
}

/// The number of entries of one repository or project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryPlace {
    /// A repository's path, or a project's path on GitLab. Empty for patches without a repository.
    pub place: String,
    /// The number of reviews and conversations.
    pub count: u32,
}

/// The SQL expression of a row's place: the project of a merge request, which is equal with and without a clone, or else the repository.
const PLACE: &str = "coalesce(CASE WHEN json_valid(target) THEN target ->> '$.project' END, repository)";

impl Store {
    /// Returns a page of the history, latest first.
    pub fn history(&self, query: &HistoryQuery) -> Result<Vec<HistoryRow>, StoreError> {
        let connection = self.lock();
        let words = match_of(&query.words);
        let mut values: Vec<Value> = Vec::new();
        let mut value = |one: &str| {
            values.push(one.to_owned().into());
            format!("?{}", values.len())
        };
        let mut with = String::new();
        let mut joined = ["", ""];
        let mut columns = "0, 0";
        if let Some(words) = &words {
            with = format!(
                "WITH hit AS MATERIALIZED (SELECT kind, owner, min(found_text.id) AS first, count(*) AS hits FROM found
                 JOIN found_text ON found_text.id = found.rowid WHERE found MATCH {} GROUP BY kind, owner)",
                value(words)
            );
            joined = [
                "JOIN hit ON hit.kind = 'review' AND hit.owner = review.id",
                "JOIN hit ON hit.kind = 'conversation' AND hit.owner = conversation.id",
            ];
            columns = "hit.first, hit.hits";
        }
        let mut filter = String::from("1");
        if let Some(place) = &query.place {
            filter += &format!(" AND {PLACE} = {}", value(place));
        }
        let mut arms = Vec::new();
        for (table, time, joined) in [("review", "created_at", joined[0]), ("conversation", "updated_at", joined[1])] {
            if query.kind.as_deref().is_some_and(|kind| kind != table) {
                continue;
            }
            let mut filter = filter.clone();
            if let Some(HistoryCursor { at, id }) = &query.after {
                filter += &format!(" AND ({time}, id) < ({}, {})", value(at), value(id));
            }
            arms.push(format!(
                "SELECT '{table}' AS kind, id, repository, target, {time} AS at, {columns} FROM {table} {joined} WHERE {filter}"
            ));
        }
        let limit = query.limit;
        let text = format!("{with} {} ORDER BY at DESC, id DESC LIMIT {limit}", arms.join(" UNION ALL "));
        let mut listed = connection.prepare(&text)?;
        let read = |row: &Row<'_>| -> rusqlite::Result<(String, HistoryRow, i64, u32)> {
            let what = HistoryKind::Review(Brief::default());
            let row_of = HistoryRow {
                id: row.get(1)?,
                repository: row.get(2)?,
                target: row.get(3)?,
                at: row.get(4)?,
                what,
                hit: None,
            };
            Ok((row.get(0)?, row_of, row.get(5)?, row.get(6)?))
        };
        let listed: Vec<_> = listed.query_map(params_from_iter(values), read)?.collect::<Result<_, _>>()?;
        let mut rows = Vec::with_capacity(listed.len());
        for (kind, mut row, first, count) in listed {
            row.what = if kind == "review" { brief(&connection, &row.id)? } else { talk(&connection, &row.id)? };
            if words.is_some() {
                row.hit = hit(&connection, &query.words, first, count)?;
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// Returns all places with their number of entries, largest number first.
    pub fn history_places(&self) -> Result<Vec<HistoryPlace>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(&format!(
            "SELECT place, count(*) FROM (SELECT {PLACE} AS place FROM review UNION ALL SELECT {PLACE} FROM conversation)
             GROUP BY place ORDER BY count(*) DESC, place LIMIT 500"
        ))?;
        let rows = query.query_map([], |row| Ok(HistoryPlace { place: row.get(0)?, count: row.get(1)? }))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the summaries of all reviews of a target, latest first.
    pub fn rounds(&self, repository: &str, target: &str) -> Result<Vec<HistoryRow>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT id, created_at FROM review WHERE repository = ?1 AND target = ?2
             ORDER BY created_at DESC, rowid DESC LIMIT 200",
        )?;
        let known: Vec<(String, String)> =
            query.query_map([repository, target], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        known
            .into_iter()
            .map(|(id, at)| {
                let what = brief(&connection, &id)?;
                Ok(HistoryRow { id, repository: repository.into(), target: target.into(), at, what, hit: None })
            })
            .collect()
    }

    /// Returns the ID of a target's latest review.
    pub fn latest_review_id(&self, repository: &str, target: &str) -> Result<Option<String>, StoreError> {
        let query =
            "SELECT id FROM review WHERE repository = ?1 AND target = ?2 ORDER BY created_at DESC, rowid DESC LIMIT 1";
        Ok(self.lock().query_row(query, [repository, target], |row| row.get(0)).optional()?)
    }

    /// Returns whether a saved review belongs to this run folder.
    pub fn is_run_used(&self, folder: &str) -> Result<bool, StoreError> {
        let connection = self.lock();
        Ok(connection
            .query_row("SELECT EXISTS (SELECT 1 FROM review WHERE run_dir = ?1)", [folder], |row| row.get(0))?)
    }
}

/// Converts words to an FTS query that requires all of them as prefixes. The words cannot contain query syntax.
fn match_of(words: &str) -> Option<String> {
    let words: Vec<String> = match_words(words).map(|word| format!("\"{word}\"*")).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn match_words(words: &str) -> impl Iterator<Item = &str> {
    words.split(|one: char| !one.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn brief(connection: &rusqlite::Connection, id: &str) -> Result<HistoryKind, StoreError> {
    let read = |row: &Row<'_>| {
        Ok(Brief {
            agent: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
            model: row.get(1)?,
            severities: [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?],
            tokens: row.get::<_, Option<i64>>(7)?.and_then(|count| u64::try_from(count).ok()),
            cost: row.get(8)?,
            accepted: row.get(9)?,
            dismissed: row.get(10)?,
            posted: row.get(11)?,
        })
    };
    let found = connection
        .prepare_cached(
            "SELECT agent, model, critical, high, medium, low, info, tokens, cost,
                 (SELECT count(*) FROM decision WHERE review_id = ?1 AND decision = 'accepted'),
                 (SELECT count(*) FROM decision WHERE review_id = ?1 AND decision = 'dismissed'),
                 (SELECT count(DISTINCT key) FROM posting JOIN posting_item ON posting = posting.id
                  WHERE review_id = ?1 AND state = 'landed')
             FROM brief WHERE review_id = ?1",
        )?
        .query_row([id], read)
        .optional()?;
    Ok(HistoryKind::Review(found.unwrap_or_default()))
}

fn talk(connection: &rusqlite::Connection, id: &str) -> Result<HistoryKind, StoreError> {
    let read =
        |row: &Row<'_>| Ok(HistoryKind::Conversation { title: row.get(0)?, agent: row.get(1)?, messages: row.get(2)? });
    Ok(connection
        .prepare_cached(
            "SELECT title, agent, (SELECT count(*) FROM message WHERE conversation_id = ?1 AND superseded = 0)
             FROM conversation WHERE id = ?1",
        )?
        .query_row([id], read)?)
}

/// Returns the excerpt around the first match. It is cut here, because an FTS `snippet` query for each row takes much longer.
fn hit(
    connection: &rusqlite::Connection,
    words: &str,
    first: i64,
    count: u32,
) -> Result<Option<SearchHit>, StoreError> {
    let found = connection
        .prepare_cached("SELECT part, body FROM found_text WHERE id = ?1")?
        .query_row([first], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))
        .optional()?;
    Ok(found.map(|(part, body)| SearchHit { part, text: excerpt(&body, words), count }))
}

/// The number of characters of an excerpt, and how many of them precede the first match.
const EXCERPT: (usize, usize) = (160, 40);

fn excerpt(body: &str, words: &str) -> String {
    let wanted: Vec<String> = match_words(words).map(str::to_lowercase).collect();
    let mut places = Vec::new();
    let mut rest = 0;
    for token in body.split(|one: char| !one.is_alphanumeric()) {
        let lower = token.to_lowercase();
        if !token.is_empty() && wanted.iter().any(|word| lower.starts_with(word.as_str())) {
            places.push(rest..rest + token.len());
        }
        // The separator between two tokens is one character.
        rest += token.len();
        rest += body[rest..].chars().next().map_or(0, char::len_utf8);
    }
    let first = places.first().map_or(0, |place| place.start);
    let from = body[..first].char_indices().rev().take(EXCERPT.1).last().map_or(first, |(at, _)| at);
    let to = body[from..].char_indices().nth(EXCERPT.0).map_or(body.len(), |(at, _)| from + at);
    let mut text = String::from(if from > 0 { "…" } else { "" });
    let mut at = from;
    for place in places.iter().filter(|place| place.end <= to) {
        text += &body[at..place.start];
        text.push(MARKS.0);
        text += &body[place.clone()];
        text.push(MARKS.1);
        at = place.end;
    }
    text += &body[at..to];
    text + if to < body.len() { "…" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoredReview;

    fn store() -> Store {
        let store = Store::in_memory().expect("opened");
        for (id, at, target, title) in [
            ("a", "2026-01-01", r#"{"kind":"branch","name":"topic/refunds"}"#, "refundOrder wraps"),
            ("b", "2026-01-02", r#"{"kind":"merge_request","base":"https://h","project":"g/shop","iid":7}"#, "A race"),
            ("c", "2026-01-03", r#"{"kind":"staged"}"#, "Über \"quotes\" AND OR NEAR(x)"),
        ] {
            let output = serde_json::json!({ "summary_markdown": format!("Summary of {id}"), "meta": { "agent": "codex" },
                "findings": [{ "key": "f1", "severity": "high", "title": title, "body_markdown": "body", "path": "src/pay.ts" },
                    { "key": "f2", "severity": "info", "title": "other", "body_markdown": "…", "path": "b" }] });
            let review = StoredReview {
                id: id.into(),
                repository: if id == "b" { String::new() } else { "/srv/shop".into() },
                target: target.into(),
                fingerprint: "f".into(),
                created_at: at.into(),
                run_dir: format!("/runs/{id}"),
                output: output.to_string(),
                facts: "{}".into(),
            };
            store.add_review(&review).expect("kept");
        }
        store
    }

    fn found(store: &Store, words: &str) -> Vec<(String, String)> {
        let query = HistoryQuery { words: words.into(), limit: 10, ..HistoryQuery::default() };
        let rows = store.history(&query).expect("searched");
        rows.into_iter().map(|row| (row.id, row.hit.map_or(String::new(), |hit| hit.part))).collect()
    }

    #[test]
    fn words_are_found_by_their_beginning() {
        let store = store();
        let one = |id: &str, part: &str| vec![(id.to_owned(), part.to_owned())];
        assert_eq!(found(&store, "refund wrap"), one("a", "f1"));
        assert_eq!(found(&store, "topic/refunds"), one("a", "change"));
        assert_eq!(found(&store, "g/shop 7"), one("b", "change"));
        assert_eq!(found(&store, "UBER quotes"), one("c", "f1"));
        assert_eq!(found(&store, "\"AND\" near("), one("c", "f1"));
        assert_eq!(found(&store, "src/pay.ts").len(), 3);
        assert_eq!(found(&store, "nothing such"), []);
        assert_eq!(found(&store, "* \" ( -").len(), 3, "no word: everything");
    }

    #[test]
    fn an_excerpt_marks_the_beginnings_of_words() {
        assert_eq!(excerpt("a refundOrder, wraps", "refund WRAP"), "a \u{1}refundOrder\u{2}, \u{1}wraps\u{2}");
        assert_eq!(excerpt("Über", "uber"), "Über", "found, and not marked");
        let long = format!("{} needle {}", "ä ".repeat(300), "ö ".repeat(300));
        let cut = excerpt(&long, "needle");
        assert!(cut.starts_with('…') && cut.ends_with('…') && cut.contains("\u{1}needle\u{2}"), "{cut}");
        assert!(cut.chars().count() < 170, "{cut}");
        assert_eq!(excerpt("", "x"), "");
    }

    #[test]
    fn pages_continue_after_the_previous_one() {
        let store = store();
        let page = |after: Option<HistoryCursor>| {
            let query = HistoryQuery { after, limit: 2, ..HistoryQuery::default() };
            store.history(&query).expect("listed")
        };
        let first = page(None);
        assert_eq!(first.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["c", "b"]);
        let last = first.last().map(|row| HistoryCursor { at: row.at.clone(), id: row.id.clone() });
        assert_eq!(page(last).iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn a_row_counts_findings_decisions_and_posted_comments() {
        let store = store();
        store.decide("a", &["f1".into()], Some("accepted"), None, "t").expect("decided");
        let place = crate::PostingPlace { host: "h", project: "p", iid: 1 };
        let posting = store.begin_posting(place, Some("a"), "{}", "t").expect("begun");
        let item = crate::StoredPostingItem { key: "f1".into(), state: "landed".into(), note: Some(1), detail: None };
        store.save_posting_item(posting, &item, "t").expect("kept");
        let query = HistoryQuery { place: Some("/srv/shop".into()), limit: 9, ..HistoryQuery::default() };
        let rows = store.history(&query).expect("listed");
        assert_eq!(rows.len(), 2);
        let HistoryKind::Review(brief) = &rows[1].what else { panic!("a review") };
        assert_eq!((brief.severities, brief.accepted, brief.posted), ([0, 1, 0, 0, 1], 1, 1));
        let places = store.history_places().expect("listed");
        assert_eq!(
            places.iter().map(|one| (one.place.as_str(), one.count)).collect::<Vec<_>>(),
            [("/srv/shop", 2), ("g/shop", 1)]
        );
    }

    #[test]
    fn removed_and_changed_texts_are_not_found() {
        let store = store();
        let now = r#"{"summary_markdown":"Now otherwise"}"#;
        store.edit_reviews(|reviews| reviews.set_output("a", now)).expect("written");
        assert_eq!(found(&store, "refund wrap"), []);
        assert_eq!(found(&store, "otherwise").len(), 1);
        assert_eq!(store.remove_review("b").expect("removed").expect("it was there").run_dir, "/runs/b");
        assert_eq!(found(&store, "race"), []);
        assert_eq!(store.remove_review("b").expect("nothing to do"), None);
    }
}
