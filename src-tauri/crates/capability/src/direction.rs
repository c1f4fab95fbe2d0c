//! Whether a use of a store reads or writes, by the name of its method or the SQL in its line.
//!
//! In: a contract's words, and a use. Out: `Misses`, when the line is only about the other direction.

use diffsan_contracts::contract::ContractEffect;
use diffsan_contracts::vocabulary::Vocabulary;

use crate::naming::words_of;

/// What a use does to the records of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Read,
    Write,
    Delete,
}

/// Whether a use is one that a contract is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// It is, or the contract is about all uses.
    Hits,
    /// It is one of the other direction.
    Misses,
    /// Its name does not tell.
    Unclear,
}

/// The effects whose names in tables do not tell reads from writes.
const OF_STORES: &[&str] = &["sql.execute", "nosql.use", "browser.store", "database.use"];

/// Words in the names of methods that read.
const READS: &[&str] = &[
    "aggregate",
    "all",
    "annotate",
    "any",
    "average",
    "avg",
    "count",
    "defer",
    "distinct",
    "each",
    "entries",
    "exclude",
    "exist",
    "exists",
    "fetch",
    "filter",
    "find",
    "first",
    "get",
    "having",
    "hget",
    "hgetall",
    "hmget",
    "ids",
    "includes",
    "joins",
    "keys",
    "last",
    "limit",
    "list",
    "load",
    "lookup",
    "maximum",
    "mget",
    "minimum",
    "offset",
    "one",
    "only",
    "order",
    "paginate",
    "pluck",
    "preload",
    "prefetch",
    "read",
    "scan",
    "scalar",
    "scalars",
    "search",
    "select",
    "smembers",
    "sum",
    "take",
    "ttl",
    "values",
    "where",
    "zrange",
];
/// Words in the names of methods that write.
const WRITES: &[&str] = &[
    "add",
    "alter",
    "append",
    "attach",
    "bulk",
    "commit",
    "create",
    "decr",
    "decrement",
    "detach",
    "expire",
    "exec",
    "flush",
    "hset",
    "import",
    "incr",
    "increment",
    "index",
    "insert",
    "lpush",
    "merge",
    "migrate",
    "patch",
    "persist",
    "push",
    "put",
    "replace",
    "rpush",
    "sadd",
    "save",
    "set",
    "setex",
    "setnx",
    "store",
    "sync",
    "touch",
    "update",
    "upsert",
    "write",
    "xadd",
    "zadd",
];
/// Words in the names of methods that delete.
const DELETES: &[&str] =
    &["clear", "del", "delete", "destroy", "drop", "evict", "hdel", "prune", "purge", "remove", "truncate", "unlink"];
/// Methods that run any statement.
const ANY: &[&str] = &["exec", "execute", "prepare", "query", "raw", "run", "statement", "batch", "transaction"];

/// The statements of SQL, and what they do.
const STATEMENTS: &[(&str, Direction)] = &[
    ("select", Direction::Read),
    ("pragma", Direction::Read),
    ("explain", Direction::Read),
    ("insert", Direction::Write),
    ("update", Direction::Write),
    ("replace", Direction::Write),
    ("merge", Direction::Write),
    ("create", Direction::Write),
    ("alter", Direction::Write),
    ("grant", Direction::Write),
    ("delete", Direction::Delete),
    ("truncate", Direction::Delete),
    ("drop", Direction::Delete),
];

/// Returns whether a contract's line is about a use with an effect. `line` is the text of the use.
pub(crate) fn matches(
    vocabulary: &Vocabulary,
    contract: &ContractEffect,
    effect: &str,
    (sink, line): (&str, &str),
) -> Match {
    if !OF_STORES.contains(&effect) {
        return Match::Hits;
    }
    let wanted = wanted(vocabulary, contract);
    if wanted.is_empty() {
        return Match::Hits;
    }
    let Some(does) = of_use(sink, line) else { return Match::Unclear };
    // What is deleted is written, too; a line about deletions is not about other writes.
    let hits = wanted.iter().any(|one| *one == does || (*one, does) == (Direction::Write, Direction::Delete));
    if hits { Match::Hits } else { Match::Misses }
}

/// Returns the directions that a contract names, or none if it is about all uses.
fn wanted(vocabulary: &Vocabulary, contract: &ContractEffect) -> Vec<Direction> {
    let verbs = std::iter::once(contract.action.as_str()).chain(contract.resource.split_whitespace());
    let base = |word: &str| {
        let forms = diffsan_contracts::wording::base_forms(word.trim_matches(|char: char| !char.is_alphanumeric()));
        forms.into_iter().find_map(|form| vocabulary.action_of(&form).map(str::to_owned))
    };
    let mut found = Vec::new();
    for (at, action) in verbs.map(base).enumerate() {
        match action.as_deref() {
            Some("read") => found.push(Direction::Read),
            Some("write" | "change") => found.push(Direction::Write),
            Some("delete") => found.push(Direction::Delete),
            // "Use the database" and "run queries" are about all; "use database writes" is not.
            Some("use") if at == 0 => {}
            Some(_) if at == 0 => return Vec::new(),
            None if at == 0 && !OF_ADDING.contains(&contract.action.as_str()) => return Vec::new(),
            _ => {}
        }
    }
    found
}

/// Verbs that say nothing about the direction.
const OF_ADDING: &[&str] = &["add", "introduce", "gain", "have", "contain"];

/// Returns what a use does, if its name or its SQL tells.
fn of_use(sink: &str, line: &str) -> Option<Direction> {
    let name = sink.rsplit(['.', ':', '>']).next().unwrap_or(sink);
    let words = words_of(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if words.iter().all(|word| ANY.contains(&word.as_str())) {
        return of_sql(line);
    }
    // `get_or_create` and `findAndDelete` do more than read.
    if has(DELETES) {
        return Some(Direction::Delete);
    }
    if has(WRITES) {
        return Some(Direction::Write);
    }
    has(READS).then_some(Direction::Read)
}

/// Returns what the statement in a line of code does, if the line has its beginning.
fn of_sql(line: &str) -> Option<Direction> {
    let quoted = line.split(['"', '\'', '`']).skip(1);
    quoted.into_iter().find_map(|text| {
        let first = text.split_whitespace().next()?.to_lowercase();
        STATEMENTS.iter().find(|(word, _)| *word == first).map(|(_, does)| *does)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Knowledge;
    use diffsan_contracts::parse;

    fn judged(sentence: &str, sink: &str, line: &str) -> Match {
        let knowledge = Knowledge::load(&[]).expect("tables");
        let contracts = parse("a.toml", &format!("effects = [{sentence:?}]"), &knowledge.vocabulary);
        matches(&knowledge.vocabulary, &contracts.effects[0], "sql.execute", (sink, line))
    }

    #[test]
    fn names_and_statements_tell_reads_from_writes() {
        for (sentence, sink, line, wanted) in [
            ("MUST NOT write to the database", "Check.objects.only", "", Match::Misses),
            ("MUST NOT write to the database", "Check.objects.get_or_create", "", Match::Hits),
            ("MUST NOT write to the database", "Check.objects.delete", "", Match::Hits),
            ("MUST NOT delete database records", "Story.create", "", Match::Misses),
            ("MUST NOT delete database records", "Story.destroy_all", "", Match::Hits),
            ("MUST NOT read from the database", "Feed.find", "", Match::Hits),
            ("MUST NOT read from the database", "Feed.save", "", Match::Misses),
            ("MUST NOT use the database", "Feed.find", "", Match::Hits),
            ("MUST NOT change database records", "Feed.find", "", Match::Misses),
            ("MUST NOT change database records", "Feed.update", "", Match::Hits),
            ("MUST NOT run SQL", "db.Exec", "", Match::Hits),
            ("MUST NOT write to the database", "db.Exec", "", Match::Unclear),
            ("MUST NOT write to the database", "db.Query", "db.Query(\"SELECT 1\")", Match::Misses),
            ("MUST NOT write to the database", "db.Exec", "db.Exec(`INSERT INTO a`)", Match::Hits),
            ("MUST NOT read or write the database", "Feed.find", "", Match::Hits),
            ("MUST NOT add database writes", "Feed.find", "", Match::Misses),
            ("MUST NOT add database writes", "Feed.save", "", Match::Hits),
        ] {
            assert_eq!(judged(sentence, sink, line), wanted, "{sentence}: {sink} {line}");
        }
    }
}
