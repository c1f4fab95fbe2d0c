//! Assigns keys to findings that earlier versions numbered anew in each review, and rewrites everything that refers to such a finding.

use std::collections::{HashMap, HashSet};

use diffsan_review::finding::Finding;
use diffsan_review::rounds::{KnownFinding, assign_keys, content_key, is_key};
use rusqlite::{Connection, params};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::StoreError;

/// The key of each finding, by review and earlier ID.
type Keys = HashMap<(String, String), String>;

/// The keys in the order in which they were assigned: review by review, finding by finding.
type AssignedKeys = Vec<((String, String), String)>;

/// Assigns the keys, review by review of each change, so that a finding that was found again has one key. Existing keys stay unchanged.
pub(crate) fn assign_finding_keys(connection: &Connection) -> Result<(), StoreError> {
    let posted = posted_keys(connection)?;
    let mut keys = Keys::new();
    let changes: Vec<(String, String)> = {
        let mut query = connection.prepare("SELECT DISTINCT repository, target FROM review")?;
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?
    };
    for (repository, target) in changes {
        let reviews: Vec<(String, String)> = {
            let sql = "SELECT id, output FROM review WHERE repository = ?1 AND target = ?2 ORDER BY created_at, rowid";
            let mut query = connection.prepare(sql)?;
            query.query_map([repository, target], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?
        };
        let mut known: Vec<Finding> = Vec::new();
        let mut outputs: Vec<(String, Value)> = Vec::new();
        let mut assigned = AssignedKeys::new();
        for (review, output) in reviews {
            let Ok(mut output) = serde_json::from_str::<Value>(&output) else { continue };
            rename_findings(&review, &mut output, &mut known, &mut assigned);
            outputs.push((review, output));
        }
        // Comments have the key under which they were posted: it becomes the key of the finding in all of its reviews.
        let mut final_keys: HashMap<String, String> = HashMap::new();
        let mut taken: HashSet<String> = known.iter().map(|finding| finding.key.clone()).collect();
        for (finding, key) in &assigned {
            let Some(posted) = posted.get(finding) else { continue };
            if posted == key || taken.insert(posted.clone()) {
                final_keys.insert(key.clone(), posted.clone());
            }
        }
        let last = |key: &String| final_keys.get(key).unwrap_or(key).clone();
        for (review, mut output) in outputs {
            for entry in output.get_mut("findings").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(Value::String(key)) = entry.get_mut("key") {
                    *key = last(key);
                }
            }
            connection.execute("UPDATE review SET output = ?2 WHERE id = ?1", params![review, output.to_string()])?;
        }
        keys.extend(assigned.into_iter().map(|(finding, key)| (finding, last(&key))));
    }
    for table in ["decision", "fix"] {
        let sql = format!("UPDATE {table} SET finding_key = ?3 WHERE review_id = ?1 AND finding_key = ?2");
        let mut update = connection.prepare(&sql)?;
        for ((review, id), key) in &keys {
            update.execute([review, id, key])?;
        }
    }
    rename_in_messages(connection, &keys)?;
    rename_in_interface_state(connection, &keys)
}

/// Returns the keys in the plans of postings, by review and earlier name of the finding.
fn posted_keys(connection: &Connection) -> Result<Keys, StoreError> {
    let mut posted = Keys::new();
    let mut query =
        connection.prepare("SELECT review_id, plan FROM posting WHERE review_id IS NOT NULL ORDER BY id")?;
    let rows = query.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    for row in rows {
        let (review, plan) = row?;
        let Ok(plan) = serde_json::from_str::<Value>(&plan) else { continue };
        for item in [&plan["items"], &plan["summary"]["folded"]].into_iter().filter_map(Value::as_array).flatten() {
            if let (Some(id), Some(key)) = (item["finding"].as_str(), item["key"].as_str().filter(|key| is_key(key))) {
                posted.insert((review.clone(), id.to_owned()), key.to_owned());
            }
        }
    }
    Ok(posted)
}

/// Replaces the finding IDs in one review. `known` has the latest version of each finding of the earlier reviews.
fn rename_findings(review: &str, output: &mut Value, known: &mut Vec<Finding>, keys: &mut AssignedKeys) {
    let Some(entries) = output.get_mut("findings").and_then(Value::as_array_mut) else { return };
    let (mut positions, mut findings) = (Vec::new(), Vec::new());
    let mut own = HashSet::new();
    for (position, entry) in entries.iter_mut().enumerate() {
        let Ok(mut finding) = serde_json::from_value::<Finding>(entry.clone()) else {
            // An entry that is not a valid finding gets a key too, so that it keeps its decisions.
            if let Some(key) = entry.get("id").and_then(Value::as_str).map(|id| digest(&format!("{review} {id}"))) {
                set_key(review, entry, &key, keys);
            }
            continue;
        };
        // Findings that the user wrote were copied from review to review.
        let content = content_key(&finding);
        let copied = !is_key(&finding.key) && finding.is_own();
        if copied && known.iter().any(|one| one.is_own() && one.key == content) && own.insert(content.clone()) {
            finding.key = content;
        }
        positions.push(position);
        findings.push(finding);
    }
    // Nothing is known of the code of the others.
    let all: Vec<KnownFinding> = known.iter().cloned().map(KnownFinding::from).collect();
    assign_keys(&mut findings, &all);
    for (position, finding) in positions.into_iter().zip(findings) {
        set_key(review, &mut entries[position], &finding.key, keys);
        known.retain(|one| one.key != finding.key);
        known.push(finding);
    }
}

fn set_key(review: &str, entry: &mut Value, key: &str, keys: &mut AssignedKeys) {
    let Some(fields) = entry.as_object_mut() else { return };
    if let Some(Value::String(id)) = fields.remove("id") {
        keys.push(((review.to_owned(), id), key.to_owned()));
    }
    fields.insert("key".to_owned(), Value::String(key.to_owned()));
}

fn digest(text: &str) -> String {
    hex::encode(&Sha256::digest(text.as_bytes())[..8])
}

/// Rewrites the findings that messages refer to. The context of a conversation names the review of its findings.
fn rename_in_messages(connection: &Connection, keys: &Keys) -> Result<(), StoreError> {
    let messages: Vec<(i64, String, String)> = {
        let sql = "SELECT message.rowid, message.attached, conversation.fingerprint
                   FROM message JOIN conversation ON conversation.id = message.conversation_id
                   WHERE message.attached LIKE '%\"finding\"%'";
        let mut query = connection.prepare(sql)?;
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect::<Result<_, _>>()?
    };
    for (row, attached, context) in messages {
        let Ok(mut attached) = serde_json::from_str::<Value>(&attached) else { continue };
        let review = context.split_once('+').map_or("", |(_, review)| review);
        for about in attached.as_array_mut().into_iter().flatten().filter(|about| about["kind"] == "finding") {
            let Some(fields) = about.as_object_mut() else { continue };
            let Some(Value::String(id)) = fields.remove("id") else { continue };
            let key = keys.get(&(review.to_owned(), id.clone())).cloned().unwrap_or(id);
            fields.insert("key".to_owned(), Value::String(key));
        }
        connection.execute("UPDATE message SET attached = ?2 WHERE rowid = ?1", params![row, attached.to_string()])?;
    }
    Ok(())
}

/// Rewrites the interface's state: unsaved edits and reasons by finding, and the selected finding of each review.
fn rename_in_interface_state(connection: &Connection, keys: &Keys) -> Result<(), StoreError> {
    let mut query = connection.prepare("SELECT value FROM state WHERE key = 'desk'")?;
    let Some(text) = query.query_map([], |row| row.get::<_, String>(0))?.next().transpose()? else { return Ok(()) };
    let Ok(mut desk) = serde_json::from_str::<Value>(&text) else { return Ok(()) };
    let key = |review: &str, id: &str| keys.get(&(review.to_owned(), id.to_owned()));
    for (record, kind) in [("words", "edit"), ("drafts", "reason")] {
        let Some(fields) = desk.get_mut(record).and_then(Value::as_object_mut) else { continue };
        for (name, mut value) in std::mem::take(fields) {
            let mut parts = name.splitn(3, ' ');
            let named = (parts.next() == Some(kind)).then(|| parts.next().zip(parts.next())).flatten();
            let Some((review, found)) = named.and_then(|(review, id)| Some((review, key(review, id)?))) else {
                fields.insert(name, value);
                continue;
            };
            // An unsaved reason is a JSON text with the IDs of its findings.
            if let Some(Ok(mut reason)) = value.as_str().map(serde_json::from_str::<Value>) {
                for id in reason.get_mut("ids").and_then(Value::as_array_mut).into_iter().flatten() {
                    if let Some(key) = id.as_str().and_then(|id| key(review, id)) {
                        *id = Value::String(key.clone());
                    }
                }
                value = Value::String(reason.to_string());
            }
            fields.insert(format!("{kind} {review} {found}"), value);
        }
    }
    for left in desk.get_mut("left").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some([Value::String(review), Value::String(id), ..]) = left.as_array_mut().map(Vec::as_mut_slice) else {
            continue;
        };
        if let Some(found) = key(review, id) {
            id.clone_from(found);
        }
    }
    connection.execute("UPDATE state SET value = ?1 WHERE key = 'desk'", [desk.to_string()])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;
    use serde_json::json;

    use super::super::{STEPS, take};
    use super::*;

    fn finding(id: &str, source: &str, line: u32, title: &str, code: &str) -> Value {
        json!({
            "id": id, "severity": "high", "category": "correctness", "path": "a.rs", "line_start": line, "line_end": line,
            "title": title, "body_markdown": "", "sources": [source], "code": code,
            "anchor": { "state": "verified", "path": "a.rs", "side": "new", "line_start": line, "line_end": line,
                        "in_change": true },
        })
    }

    fn text(connection: &Connection, sql: &str) -> String {
        connection.query_row(sql, [], |row| row.get(0)).expect("a row")
    }

    #[test]
    fn findings_of_earlier_versions_get_one_key_over_all_reviews() {
        let mut connection = Connection::open_in_memory().expect("opened");
        take(&mut connection, &STEPS[..7]).expect("version 7");
        let loops = "The loop misses the last element";
        let reviews = [
            ("r1", "t1", vec![finding("f1", "codex", 3, loops, "1:a"), finding("n1", "you", 5, "Mine", "1:m")]),
            (
                "r2",
                "t2",
                vec![
                    finding("f1", "codex", 9, "A password is logged", "1:b"),
                    finding("f2", "codex", 4, "Last element is missed by the loop", "1:a"),
                    finding("n1", "you", 6, "Mine", "1:m"),
                ],
            ),
        ];
        for (id, time, findings) in reviews {
            let output = json!({ "summary_markdown": "", "findings": findings, "meta": {} }).to_string();
            let sql = "INSERT INTO review VALUES (?1, '/r', '{}', 'f', ?2, '', ?3, '{}')";
            connection.execute(sql, [id, time, &output]).expect("kept");
        }
        let desk = json!({
            "words": { "edit r2 f2": { "title": "x" }, "own /r staged a.rs": {} },
            "drafts": { "reason r2 f1": json!({ "typed": "no", "ids": ["f1", "f2"] }).to_string(), "chat": "hm" },
            "left": [["r1", "f1", "", "", []]], "theme": "dark",
        });
        let rows = "
            INSERT INTO decision VALUES ('r1', 'f1', 'dismissed', 'known', 't'), ('r2', 'f2', 'accepted', NULL, 't'),
                ('r2', 'f1', 'dismissed', NULL, 't');
            INSERT INTO fix VALUES (2, NULL, NULL, NULL, 'r2', 'f2', 'a.rs', 0, 'old', 'new', 0, 'h', 't', NULL);
            INSERT INTO conversation VALUES ('c', '/r', '{}', 'Why', 'abc+r2', 'x', 'm', 'codex', NULL, '1', '1', NULL, 0);
            INSERT INTO message VALUES
                ('c', 1, 'user', 'done', 'Why?', '', '[{\"kind\":\"finding\",\"id\":\"f2\"}]', '{}', 0, '1');";
        connection.execute_batch(rows).expect("kept");
        connection.execute("INSERT INTO state VALUES ('desk', ?1)", [desk.to_string()]).expect("kept");
        let plan = json!({ "items": [{ "finding": "f2", "key": "00000000000000ab" }], "summary": { "folded": [] } });
        let sql = "INSERT INTO posting VALUES (1, 'https://h', 'a/b', 7, 'r2', ?1, 't1', 't2')";
        connection.execute(sql, [plan.to_string()]).expect("kept");

        take(&mut connection, STEPS).expect("brought up to date");

        let keys = |review: &str| -> Vec<String> {
            let output = text(&connection, &format!("SELECT output FROM review WHERE id = '{review}'"));
            let output: Value = serde_json::from_str(&output).expect("JSON");
            let findings = output["findings"].as_array().expect("findings");
            assert!(findings.iter().all(|one| one.get("id").is_none()));
            findings.iter().map(|one| one["key"].as_str().expect("a key").to_owned()).collect()
        };
        let (first, second) = (keys("r1"), keys("r2"));
        assert_eq!((&second[1], &second[2]), (&first[0], &first[1]));
        assert_ne!(second[0], first[0]);
        assert_eq!(first[0], "00000000000000ab", "the comment on GitLab has it");

        let decided = |review: &str, decision: &str| {
            let sql = "SELECT finding_key FROM decision WHERE review_id = ?1 AND decision = ?2";
            connection.query_row(sql, [review, decision], |row| row.get::<_, String>(0)).expect("a decision")
        };
        assert_eq!(decided("r1", "dismissed"), first[0]);
        assert_eq!((decided("r2", "accepted"), decided("r2", "dismissed")), (second[1].clone(), second[0].clone()));
        assert_eq!(text(&connection, "SELECT finding_key FROM fix"), second[1]);
        let attached = json!([{ "kind": "finding", "key": second[1] }]).to_string();
        assert_eq!(text(&connection, "SELECT attached FROM message"), attached);
        let part = "SELECT part FROM found_text WHERE owner = 'r2' AND body LIKE 'A password%'";
        assert_eq!(text(&connection, part), second[0]);
        let desk: Value = serde_json::from_str(&text(&connection, "SELECT value FROM state")).expect("JSON");
        let reason = json!({ "typed": "no", "ids": [second[0], second[1]] }).to_string();
        assert_eq!(
            desk,
            json!({
                "words": { (format!("edit r2 {}", second[1])): { "title": "x" }, "own /r staged a.rs": {} },
                "drafts": { (format!("reason r2 {}", second[0])): reason, "chat": "hm" },
                "left": [["r1", first[0], "", "", []]], "theme": "dark",
            })
        );
    }
}
