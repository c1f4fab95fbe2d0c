//! The history: every review and conversation, listed in pages, searched, removed.
//!
//! In: words, filters, where to go on. Out: short rows; the reviews themselves are not read for it.

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params_from_iter};

use super::{SELECT_REVIEW, Store, StoreError, StoredReview, read_review};

/// What stands before and behind a hit in [`Hit::text`].
pub const MARKS: (char, char) = ('\u{1}', '\u{2}');

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    /// Words that must all occur in one text, the last of each as it begins.
    pub words: String,
    /// A repository's path, or a project's name.
    pub place: Option<String>,
    /// `review` or `conversation`.
    pub kind: Option<String>,
    /// The last row that is known: its time and name.
    pub after: Option<(String, String)>,
    /// At most so many.
    pub limit: u32,
}

/// A review or conversation, in short.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryRow {
    /// Its name.
    pub id: String,
    /// The repository's path; empty for a patch or merge request without one.
    pub repository: String,
    /// The change, as JSON.
    pub target: String,
    /// When it was made, or gone on with last; RFC 3339.
    pub at: String,
    /// Which of both, and what is known of it.
    pub what: HistoryKind,
    /// Where the words were found.
    pub hit: Option<Hit>,
}

/// What is known of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum HistoryKind {
    /// A review.
    Review(Brief),
    /// A conversation.
    Conversation {
        /// Its headline.
        title: String,
        /// Who was asked last.
        agent: String,
        /// How many messages it has.
        messages: u32,
    },
}

/// A review in short.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Brief {
    /// Who reviewed.
    pub agent: String,
    /// With which model, if one was named.
    pub model: Option<String>,
    /// Findings: critical, high, medium, low, info.
    pub severities: [u32; 5],
    /// How many were accepted.
    pub accepted: u32,
    /// How many were dismissed.
    pub dismissed: u32,
    /// How many pieces of it landed in GitLab.
    pub posted: u32,
    /// Tokens, if they were reported.
    pub tokens: Option<u64>,
    /// In US dollars, if that was reported.
    pub cost: Option<f64>,
}

/// Where words were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The finding's or message's name, `summary`, or `change`.
    pub part: String,
    /// The text around, with the words between [`MARKS`].
    pub text: String,
    /// In how many texts.
    pub count: u32,
}

/// What a place of the history holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryPlace {
    /// A repository's path, or a project's name; empty for patches without one.
    pub place: String,
    /// How many reviews and conversations.
    pub count: u32,
}

/// A repository, or the project of a merge request, which is the same with and without a clone.
const PLACE: &str = "coalesce(CASE WHEN json_valid(target) THEN target ->> '$.project' END, repository)";

impl Store {
    /// A page of the history, latest first.
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
            if let Some((at, id)) = &query.after {
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

    /// Where there is anything, with how much; the most first.
    pub fn history_places(&self) -> Result<Vec<HistoryPlace>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(&format!(
            "SELECT place, count(*) FROM (SELECT {PLACE} AS place FROM review UNION ALL SELECT {PLACE} FROM conversation)
             GROUP BY place ORDER BY count(*) DESC, place LIMIT 500"
        ))?;
        let rows = query.query_map([], |row| Ok(HistoryPlace { place: row.get(0)?, count: row.get(1)? }))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The reviews of a change without what they say, latest first.
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

    /// The name of a change's latest review.
    pub fn latest_review_id(&self, repository: &str, target: &str) -> Result<Option<String>, StoreError> {
        let query =
            "SELECT id FROM review WHERE repository = ?1 AND target = ?2 ORDER BY created_at DESC, rowid DESC LIMIT 1";
        Ok(self.lock().query_row(query, [repository, target], |row| row.get(0)).optional()?)
    }

    /// Removes a review with its decisions. Gives what it was.
    pub fn remove_review(&self, id: &str) -> Result<Option<StoredReview>, StoreError> {
        let connection = self.lock();
        let found = connection.query_row(&format!("{SELECT_REVIEW} WHERE id = ?1"), [id], read_review).optional()?;
        connection.execute("DELETE FROM review WHERE id = ?1", [id])?;
        Ok(found)
    }

    /// Whether a kept review came from a run's folder.
    pub fn is_run_used(&self, folder: &str) -> Result<bool, StoreError> {
        let connection = self.lock();
        Ok(connection
            .query_row("SELECT EXISTS (SELECT 1 FROM review WHERE run_dir = ?1)", [folder], |row| row.get(0))?)
    }
}

/// The words as a search: all of them, each as it begins; nothing of it is a command to the search.
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

/// The text around the first of the words, cut here: asking the search for it once more for each row takes far longer.
fn hit(connection: &rusqlite::Connection, words: &str, first: i64, count: u32) -> Result<Option<Hit>, StoreError> {
    let found = connection
        .prepare_cached("SELECT part, body FROM found_text WHERE id = ?1")?
        .query_row([first], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))
        .optional()?;
    Ok(found.map(|(part, body)| Hit { part, text: excerpt(&body, words), count }))
}

/// Characters of an excerpt, and of them those before the first word that was found.
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
        // What separates them is one character.
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
    fn words_are_found_where_they_begin_and_whatever_they_hold() {
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
    fn an_excerpt_marks_words_as_they_begin_whatever_stands_around() {
        assert_eq!(excerpt("a refundOrder, wraps", "refund WRAP"), "a \u{1}refundOrder\u{2}, \u{1}wraps\u{2}");
        assert_eq!(excerpt("Über", "uber"), "Über", "found, and not marked");
        let long = format!("{} needle {}", "ä ".repeat(300), "ö ".repeat(300));
        let cut = excerpt(&long, "needle");
        assert!(cut.starts_with('…') && cut.ends_with('…') && cut.contains("\u{1}needle\u{2}"), "{cut}");
        assert!(cut.chars().count() < 170, "{cut}");
        assert_eq!(excerpt("", "x"), "");
    }

    #[test]
    fn pages_go_on_where_the_last_one_ended() {
        let store = store();
        let page = |after: Option<(String, String)>| {
            let query = HistoryQuery { after, limit: 2, ..HistoryQuery::default() };
            store.history(&query).expect("listed")
        };
        let first = page(None);
        assert_eq!(first.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["c", "b"]);
        let last = first.last().map(|row| (row.at.clone(), row.id.clone()));
        assert_eq!(page(last).iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn a_row_tells_what_was_found_decided_and_posted() {
        let store = store();
        store.decide("a", &["f1".into()], Some("accepted"), None, "t").expect("decided");
        let place = crate::PostingPlace { host: "h", project: "p", iid: 1 };
        let posting = store.begin_posting(place, Some("a"), "{}", "t").expect("begun");
        let piece = crate::StoredPiece { key: "f1".into(), state: "landed".into(), note: Some(1), detail: None };
        store.posting_piece(posting, &piece, "t").expect("kept");
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
    fn what_is_removed_or_changed_is_found_no_more() {
        let store = store();
        let now = r#"{"summary_markdown":"Now otherwise"}"#.to_owned();
        store.edit_review_output("a", |_| Ok::<_, ()>(Some(now))).expect("written").expect("allowed");
        assert_eq!(found(&store, "refund wrap"), []);
        assert_eq!(found(&store, "otherwise").len(), 1);
        assert_eq!(store.remove_review("b").expect("removed").expect("it was there").run_dir, "/runs/b");
        assert_eq!(found(&store, "race"), []);
        assert_eq!(store.remove_review("b").expect("nothing to do"), None);
    }
}
