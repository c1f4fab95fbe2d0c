//! Whether a use of a store reads or writes, by the name of its method and the SQL in its line.
//!
//! In: a contract's words, and a use. Out: whether the contract is about the use. What only looks like a read is never one.

use diffsan_contracts::contract::ContractEffect;
use diffsan_contracts::vocabulary::Vocabulary;
use diffsan_contracts::wording::base_forms;

use crate::naming::words_of;

/// The effect of a use on the records of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
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
    /// It is none, but code around it can be: code that changes and saves the records that it reads.
    Around,
    /// Its name does not tell.
    Unclear,
}

impl Match {
    /// Returns whether the use can be one that the contract is about.
    pub(crate) fn is_possible(self) -> bool {
        matches!(self, Self::Hits | Self::Unclear)
    }
}

/// The effects whose names in tables do not tell reads from writes.
const OF_STORES: &[&str] = &["sql.execute", "nosql.use", "browser.store", "database.use"];

/// Words in the names of methods that read.
const READS: &[&str] = &[
    "all", "annotate", "any", "average", "avg", "count", "defer", "distinct", "each", "entries", "exclude", "exist",
    "exists", "fetch", "filter", "find", "first", "get", "having", "hget", "hgetall", "hmget", "ids", "includes",
    "joins", "keys", "last", "limit", "list", "load", "lookup", "maximum", "mget", "minimum", "offset", "one", "only",
    "order", "paginate", "pluck", "preload", "prefetch", "read", "scan", "scalar", "scalars", "search", "select",
    "smembers", "sum", "take", "ttl", "values", "where", "zrange",
];
/// Words in the names of methods that write.
const WRITES: &[&str] = &[
    "add",
    "alter",
    "append",
    "attach",
    "commit",
    "create",
    "decr",
    "decrement",
    "detach",
    "expire",
    "flush",
    "hset",
    "import",
    "incr",
    "increment",
    "insert",
    "lpush",
    "merge",
    "migrate",
    "modify",
    "out",
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
/// Words in the names of methods that read values, not records that can be saved.
const VALUES: &[&str] = &[
    "average", "avg", "count", "exist", "exists", "ids", "keys", "maximum", "minimum", "pluck", "scalar", "scalars",
    "sum", "ttl", "values",
];
/// Words in the names of methods that run any statement.
const ANY: &[&str] = &[
    "aggregate",
    "batch",
    "builder",
    "call",
    "cache",
    "exec",
    "execute",
    "native",
    "prepare",
    "procedure",
    "query",
    "raw",
    "run",
    "script",
    "sql",
    "statement",
    "transaction",
];

/// The words of SQL that write and delete.
const SQL: &[(&str, Direction)] = &[
    ("insert", Direction::Write),
    ("update", Direction::Write),
    ("replace", Direction::Write),
    ("merge", Direction::Write),
    ("create", Direction::Write),
    ("alter", Direction::Write),
    ("grant", Direction::Write),
    ("into", Direction::Write),
    ("delete", Direction::Delete),
    ("truncate", Direction::Delete),
    ("drop", Direction::Delete),
];
/// Functions of SQL that only compute.
const PURE: &[&str] = &[
    "avg", "cast", "coalesce", "concat", "count", "date", "datetime", "distinct", "exists", "in", "length", "lower",
    "max", "min", "now", "round", "strftime", "substr", "sum", "trim", "upper", "values",
];

/// Returns whether a contract's line that names some directions is about a use with an effect. `line` is the text of the use.
pub(crate) fn matches(wanted: &[Direction], effect: &str, (sink, line): (&str, &str)) -> Match {
    if wanted.is_empty() || !OF_STORES.contains(&effect) {
        return Match::Hits;
    }
    let sql = of_sql(line);
    let does = of_use(sink, &sql);
    // Deleting counts as writing, and a line about deletions is not about other writes.
    let hits =
        |one: &Direction| wanted.contains(one) || *one == Direction::Delete && wanted.contains(&Direction::Write);
    if does.iter().any(hits) {
        return Match::Hits;
    }
    match does[..] {
        [] => Match::Unclear,
        // Another use in the line, which has the same effect, can be meant.
        _ if wanted.iter().any(|one| mentions(line, *one)) => Match::Around,
        [Direction::Read] if sql != [Direction::Read] && !returns_values(sink) => Match::Around,
        _ => Match::Misses,
    }
}

/// Returns the directions that a contract names, or none if it is about all uses.
pub(crate) fn wanted(vocabulary: &Vocabulary, contract: &ContractEffect) -> Vec<Direction> {
    let direction = |word: &str| -> Option<Direction> {
        let word = word.trim_matches(|char: char| !char.is_alphanumeric());
        base_forms(word).iter().find_map(|form| match vocabulary.action_of(form)? {
            "read" => Some(Direction::Read),
            "write" | "change" => Some(Direction::Write),
            "delete" => Some(Direction::Delete),
            _ => None,
        })
    };
    let resource = contract.resource.replace([',', ';', '/'], " and ");
    let words: Vec<&str> = resource.split_whitespace().collect();
    let parts: Vec<&[&str]> = words
        .split(|word| ["and", "or", "nor", "and/or", "&"].contains(word))
        .filter(|part| !part.is_empty())
        .collect();
    if let Some(first) = direction(&contract.action) {
        // "Write or delete records": the other parts have verbs of their own, or things.
        let is_verb = |word: &str| vocabulary.action_of(word).is_some() || vocabulary.alternatives.contains_key(word);
        let verbs: Vec<&str> =
            parts.iter().skip(1).filter_map(|part| part.first()).copied().filter(|word| is_verb(word)).collect();
        let others: Vec<Direction> = verbs.iter().filter_map(|verb| direction(verb)).collect();
        let is_whole = others.len() == verbs.len();
        return if is_whole { std::iter::once(first).chain(others).collect() } else { Vec::new() };
    }
    // "Add database reads or writes", but not "use the read model database" or "add database access or writes".
    let nouns: Vec<Direction> = parts.iter().filter_map(|part| direction(part.last()?)).collect();
    if nouns.len() == parts.len() { nouns } else { Vec::new() }
}

/// Returns whether some words have one of a list.
fn has(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

/// Returns the parts of the name of a symbol.
fn segments(sink: &str) -> impl Iterator<Item = &str> {
    sink.split(['.', ':', '>']).filter(|part| !part.is_empty())
}

/// Returns the effects on the records of a use, as far as its name or the SQL in its line tells. A method can have several: `get_or_create`.
fn of_use(sink: &str, sql: &[Direction]) -> Vec<Direction> {
    if sql.iter().any(|one| *one != Direction::Read) {
        return sql.to_vec();
    }
    // The first part names an object or a library: `diesel::update(users).get_result()`.
    let all: Vec<Vec<String>> = segments(sink).map(words_of).collect();
    let own = if all.len() > 1 { &all[1..] } else { &all[..] };
    let Some(last) = own.last() else { return Vec::new() };
    let mut found = Vec::new();
    if own.iter().any(|words| has(words, DELETES)) {
        found.push(Direction::Delete);
    }
    if own.iter().any(|words| has(words, WRITES)) && !has(last, &["query", "builder"]) {
        found.push(Direction::Write);
    }
    if found.is_empty() && (has(last, ANY) || own.iter().any(|words| has(words, &["raw", "sql"]))) {
        return sql.to_vec();
    }
    if has(last, READS) {
        found.push(Direction::Read);
    }
    found
}

/// Returns whether a line of code has the name of a method of a direction.
fn mentions(line: &str, direction: Direction) -> bool {
    let lists: &[&[&str]] = match direction {
        Direction::Read => &[READS],
        Direction::Write => &[WRITES, DELETES],
        Direction::Delete => &[DELETES],
    };
    let words = words_of(line);
    lists.iter().any(|list| has(&words, list))
}

/// Returns whether a method returns values, which nobody can save as records.
fn returns_values(sink: &str) -> bool {
    let words = segments(sink).last().map(words_of).unwrap_or_default();
    has(&words, VALUES) && !has(&words, &["find", "get", "fetch", "all", "and"])
}

/// Returns the effects on the records of the statement of SQL in a line of code. None if there is none, or if a part of it is not known.
fn of_sql(line: &str) -> Vec<Direction> {
    let quote = |char: char| ['"', '\'', '`'].contains(&char);
    let parts: Vec<&str> = line.split(quote).collect();
    let quoted: Vec<&str> = parts.iter().skip(1).copied().collect();
    let words = || {
        let all = quoted.iter().flat_map(|text| text.split(|char: char| !char.is_alphanumeric() && char != '_'));
        all.filter(|word| !word.is_empty()).map(str::to_lowercase)
    };
    let begins = |first: &str| {
        quoted.iter().any(|text| text.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case(first)))
    };
    let is_statement =
        begins("select") || begins("with") || begins("explain") || SQL.iter().any(|(first, _)| begins(first));
    if !is_statement {
        return Vec::new();
    }
    let named = SQL.iter().filter(|(word, _)| words().any(|one| one == *word));
    let writes: Vec<Direction> = named.map(|(_, direction)| *direction).collect();
    if !writes.is_empty() {
        return writes;
    }
    // A function can write, and the rest of a text that is not closed, or that code completes, can be anything.
    let calls = quoted.iter().flat_map(|text| {
        text.match_indices('(').map(|(at, _)| {
            let name = text[..at].rsplit(|char: char| !char.is_alphanumeric() && char != '_').next();
            name.unwrap_or_default().to_lowercase()
        })
    });
    let is_pure = calls.into_iter().all(|name| name.is_empty() || PURE.contains(&name.as_str()));
    let is_closed =
        parts.len() % 2 == 1 && !quoted.iter().any(|text| text.contains(['{', ';', '$']) || text.contains("%s"));
    let is_joined = line.contains(" + ") || line.contains(" . ") || line.contains(" if ");
    let is_read = begins("select") && is_pure && is_closed && !is_joined;
    if is_read { vec![Direction::Read] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Knowledge;
    use diffsan_contracts::parse;

    fn judged(sentence: &str, sink: &str, line: &str) -> Match {
        let knowledge = Knowledge::load(&[]).expect("tables");
        let contracts = parse("a.toml", &format!("effects = [{sentence:?}]"), &knowledge.vocabulary);
        matches(&wanted(&knowledge.vocabulary, &contracts.effects[0]), "sql.execute", (sink, line))
    }

    #[test]
    fn names_and_statements_tell_reads_from_writes() {
        const WRITE: &str = "MUST NOT write to the database";
        for (sentence, sink, line, wanted) in [
            (WRITE, "Check.objects.count", "", Match::Misses),
            (WRITE, "Check.objects.only", "", Match::Around),
            (WRITE, "Story.find_each", "Story.find_each(&:destroy)", Match::Around),
            (WRITE, "Check.objects.get_or_create", "", Match::Hits),
            (WRITE, "Check.objects.delete", "", Match::Hits),
            (WRITE, "t.findAndModify", "", Match::Hits),
            (WRITE, "em.createQuery", "", Match::Unclear),
            (WRITE, "Rails.cache.fetch_cache", "", Match::Unclear),
            (WRITE, "diesel.update.set.get_result", "", Match::Hits),
            ("MUST NOT delete database records", "Story.create", "", Match::Misses),
            ("MUST NOT delete database records", "Story.destroy_all", "", Match::Hits),
            ("MUST NOT read from the database", "Feed.find", "", Match::Hits),
            ("MUST NOT read from the database", "Feed.find_or_create_by", "", Match::Hits),
            ("MUST NOT read from the database", "Feed.save", "Feed.save", Match::Misses),
            ("MUST NOT use the database", "Feed.find", "", Match::Hits),
            ("MUST NOT use the read replica database", "Feed.save", "", Match::Hits),
            ("MUST NOT change database records", "Feed.count", "", Match::Misses),
            ("MUST NOT change database records", "Feed.update", "", Match::Hits),
            ("MUST NOT run SQL", "db.Exec", "", Match::Hits),
            (WRITE, "db.Exec", "", Match::Unclear),
            (WRITE, "db.Query", "db.Query(\"SELECT 1\")", Match::Misses),
            (WRITE, "db.Query", "db.Query(\"SELECT a FROM b\" + rest)", Match::Unclear),
            (WRITE, "db.Query", "db.Query(`SELECT a", Match::Unclear),
            (WRITE, "db.Exec", "db.Exec(`INSERT INTO a`)", Match::Hits),
            (WRITE, "db.Exec", "db.Exec('SELECT 1; DELETE FROM users')", Match::Hits),
            (WRITE, "db.Exec", "db.Exec('SELECT purge()')", Match::Unclear),
            (WRITE, "db.Exec", "db.Exec('SELECT * INTO b FROM users')", Match::Hits),
            (WRITE, "db.Select", "db.Select(&ids, \"DELETE FROM users RETURNING id\")", Match::Hits),
            ("MUST NOT read or write the database", "Feed.find", "", Match::Hits),
            ("MUST NOT add database writes", "Feed.count", "", Match::Misses),
            ("MUST NOT add database writes", "Feed.save", "", Match::Hits),
            ("MUST NOT add database access or writes", "Feed.count", "", Match::Hits),
        ] {
            assert_eq!(judged(sentence, sink, line), wanted, "{sentence}: {sink} {line}");
        }
    }
}
