//! Reads the claims in a finding's text: the kind, the name, and whether the statement is plain.
//!
//! A statement with a scope, a condition, a negation, a doubt or a question is not plain: nothing in the code shows or contradicts it.

use std::sync::LazyLock;

use regex::Regex;

/// The maximum length in characters of a sentence that is shown as a claim.
const MAX_SENTENCE_CHARS: usize = 120;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    NeverCalled,
    Unused,
    /// Unused, and not only outside of tests or by code that is unused itself.
    Dead,
    NotImported,
    Undefined,
}

/// The kind of thing that a statement says its name to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    Any,
    /// A variable, a parameter or a constant.
    Variable,
    Import,
    Function,
    Type,
    Field,
}

/// The files that a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All files of the head.
    Head,
    /// The finding's file.
    File,
    /// The tests.
    Tests,
}

/// A plain statement about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub kind: Kind,
    pub thing: Thing,
    pub scope: Scope,
    /// The statement says the opposite: the name is not unused.
    pub negated: bool,
    /// The name, which may be a path such as `Queue::push`.
    pub path: String,
}

impl Statement {
    /// Returns the statement as a sentence without its end.
    pub fn claim(&self) -> String {
        let path = &self.path;
        let not = if self.negated { "not " } else { "" };
        let said = match self.kind {
            Kind::NeverCalled => format!("`{path}` is never called"),
            Kind::Unused => format!("`{path}` is {not}unused"),
            Kind::Dead => format!("`{path}` is {not}dead code"),
            Kind::NotImported => format!("`{path}` is not imported"),
            Kind::Undefined => format!("`{path}` is not defined"),
        };
        match self.scope {
            Scope::Head => said,
            Scope::File => format!("{said} in this file"),
            Scope::Tests => format!("{said} by the tests"),
        }
    }
}

/// A statement of a finding about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stated {
    Plain(Statement),
    /// A sentence that states something about use or definition, but not plainly or not about a name that can be read.
    Other(String),
}

/// A name in backticks, with or without the parentheses of a call.
pub(super) const NAME: &str = r"`([A-Za-z_$#@][\w$.:#]*[?!]?)(?:\(\))?`";

fn all(patterns: &[(Kind, bool, String)]) -> Vec<(Kind, bool, Regex)> {
    patterns.iter().filter_map(|(kind, negated, pattern)| Some((*kind, *negated, Regex::new(pattern).ok()?))).collect()
}

/// The patterns of statements: the kind, whether the pattern is a negation, and the pattern.
static STATEMENTS: LazyLock<Vec<(Kind, bool, Regex)>> = LazyLock::new(|| {
    let thing = r"(?:(?:the|local|private|public|new|exported)\s+)*(?:(?:variable|function|method|import|parameter|argument|constant|class|type|symbol|field|helper|module|name|identifier|property)s?:?\s+(?:of\s+)?)?";
    let noun = r"(?:\s+(?:variable|function|method|import|parameter|argument|constant|class|type|symbol|field|helper|module|property))?";
    let is = r"(?:\s+(?:is|are|was))?(?:\s+(?:imported|defined|declared|assigned|added|computed|set|introduced)\s*,?\s+(?:but|and|yet)(?:\s+(?:it\s+)?is)?)?\s+(?:now\s+|currently\s+|actually\s+)?";
    let end = r"(?:\s+(?:anywhere|at all|anymore|any more|any longer|now|(?:again\s+)?after(?:wards|\s+(?:it\s+is\s+|being\s+)(?:set|assigned|computed|declared))))?";
    let plain = |kind, pattern| (kind, false, pattern);
    all(&[
        plain(
            Kind::NeverCalled,
            format!(r"(?i){NAME}{noun}{is}(?:never|not|no longer|nowhere)\s+(?:called|invoked){end}"),
        ),
        plain(
            Kind::Unused,
            format!(
                r"(?i){NAME}{noun}{is}(?:unused|(?:never|not|no longer)\s+(?:used|read|referenced)|unreferenced){end}"
            ),
        ),
        plain(Kind::Dead, format!(r"(?i){NAME}{noun}{is}dead code{end}")),
        (Kind::Unused, true, format!(r"(?i){NAME}{noun}\s+(?:is|are)\s+not\s+(?:unused|unreferenced)")),
        (Kind::Dead, true, format!(r"(?i){NAME}{noun}\s+(?:is|are)\s+not\s+dead code")),
        plain(Kind::Unused, format!(r"(?i)\bunused\s+{thing}{NAME}")),
        plain(Kind::NotImported, format!(r"(?i){NAME}{noun}{is}(?:not|never)\s+imported{end}")),
        plain(Kind::NotImported, format!(r"(?i)\bmissing\s+import(?:\s+(?:of|for))?:?\s+{thing}{NAME}")),
        plain(
            Kind::Undefined,
            format!(r"(?i){NAME}{noun}{is}(?:undefined|undeclared|(?:not|never)\s+(?:defined|declared)){end}"),
        ),
        plain(Kind::Undefined, format!(r"(?i){NAME}{noun}\s+(?:does not|doesn't)\s+exist")),
        plain(Kind::Undefined, format!(r"(?i)\bno\s+(?:definition|declaration)\s+(?:of|for)\s+{thing}{NAME}")),
        plain(Kind::Undefined, format!(r"(?i)\b(?:undefined|undeclared)\s+{thing}{NAME}")),
    ])
});

/// The words that show that a sentence is about use, calls, imports or definitions.
static TRIGGER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let verbs = "called|invoked|used|read|referenced|accessed|imported|defined|declared";
    Regex::new(&format!(
        r"(?i)\b(?:unused|unreferenced|undefined|undeclared|dead code|is dead|unreachable|missing|no (?:definition|declaration|import)|lacks an import|no (?:callers?|usages?|references?|uses)|nothing (?:calls|uses|references)|nobody (?:calls|uses)|(?:never|not|no longer|nowhere|isn't|aren't|wasn't)(?:\s+\w+)?\s+(?:{verbs})|(?:does not|doesn't|do not|don't|never) (?:exist|imports?|calls?|uses?)|without (?:being\s+)?(?:imported|importing|defined|declared))\b"
    ))
    .ok()
});

/// The words before a statement that make it one of a scope, a condition, a negation, a doubt or a demand.
static LIMITS_BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:if|when|whenever|unless|whether|once|until|while|where|could|can|may|might|would|should|must|will|make sure|ensure|verify|check|confirm|possibly|perhaps|maybe|likely|probably|seems?|appears?|looks|apparently|suspect|think|believe|guess|not|isn't|aren't|wasn't|no|never|assuming|suppose|otherwise|avoid|in|on|for|under|with|without|during|inside|within|from|by|before|after|as|via|through|given|at|despite|only|because|fear|risk)\b|n't\b",
    )
    .ok()
});

/// Text that may follow a plain statement: its end, a reason or a consequence without a limit.
static PLAIN_AFTER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)^\s*(?:$|[.!:;,)\u{2014}\u{2013}-]|and\b|so\b|here\s*(?:$|[.!,;]))").ok());

/// The words behind a statement that limit it.
static LIMITS_AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:if|when|unless|except|only|until|but|besides|than|apart|outside|twice|tests?|whether|though|although|perhaps|maybe|possibly|probably|likely|right)\b")
        .ok()
});

/// A scope behind a statement that the references can show.
static SCOPES: LazyLock<Vec<(Scope, Regex)>> = LazyLock::new(|| {
    [
        (Scope::File, r"(?i)^\s+(?:in|within)\s+(?:this|the same|its own)\s+file\b"),
        (Scope::Tests, r"(?i)^\s+(?:by|in|from)\s+(?:the\s+|any\s+)?(?:unit\s+)?tests?\b"),
    ]
    .into_iter()
    .filter_map(|(scope, pattern)| Some((scope, Regex::new(pattern).ok()?)))
    .collect()
});

/// The consequence of a statement, which limits nothing.
static CONSEQUENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*[:;,]\s+(?:(?:and|so)\s+)?(?:this|that|it)\s+(?:fails|breaks|panics|throws|crashes)\b").ok()
});

fn has(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Returns the statements of a text.
pub(super) fn stated(text: &str) -> Vec<Stated> {
    let mut found: Vec<Stated> = Vec::new();
    for sentence in sentences(text) {
        let of_sentence = statements(sentence);
        if of_sentence.is_empty() && has(&TRIGGER, sentence) {
            found.push(Stated::Other(shortened(sentence)));
        }
        found.extend(of_sentence);
    }
    let mut seen = Vec::new();
    found.retain(|one| {
        !seen.contains(one) && {
            seen.push(one.clone());
            true
        }
    });
    found
}

fn statements(sentence: &str) -> Vec<Stated> {
    let mut found = Vec::new();
    for (kind, negated, pattern) in STATEMENTS.iter() {
        for captures in pattern.captures_iter(sentence) {
            let (Some(whole), Some(name)) = (captures.get(0), captures.get(1)) else { continue };
            let (before, after) = (&sentence[..whole.start()], &sentence[whole.end()..]);
            let (scope, after) = scope_of(after);
            let plain = !sentence.trim_end().ends_with('?')
                && !has(&LIMITS_BEFORE, before)
                && has(&PLAIN_AFTER, after)
                && !has(&LIMITS_AFTER, without_consequence(after));
            found.push(match plain {
                true => Stated::Plain(Statement {
                    kind: *kind,
                    thing: thing_of(before, whole.as_str()),
                    scope,
                    negated: *negated,
                    path: name.as_str().to_owned(),
                }),
                false => Stated::Other(shortened(sentence)),
            });
        }
    }
    found
}

/// Returns the scope that a text begins with, and the text behind it.
fn scope_of(after: &str) -> (Scope, &str) {
    let found = SCOPES.iter().find_map(|(scope, pattern)| Some((*scope, pattern.find(after)?.end())));
    found.map_or((Scope::Head, after), |(scope, end)| (scope, &after[end..]))
}

/// Returns the text before a consequence: in `: this fails when it runs`, nothing is limited.
fn without_consequence(after: &str) -> &str {
    let consequence = CONSEQUENCE.as_ref().and_then(|pattern| pattern.find(after));
    consequence.map_or(after, |_| "")
}

/// Returns the kind of thing that the words around a name say.
fn thing_of(before: &str, statement: &str) -> Thing {
    let near = before.split_whitespace().rev().take(2).chain(statement.split('`').next());
    let nouns: Vec<String> = near.chain(statement.split('`').nth(2)).map(str::to_lowercase).collect();
    let says = |words: &[&str]| {
        nouns.iter().flat_map(|text| text.split(|char: char| !char.is_alphanumeric())).any(|word| words.contains(&word))
    };
    match () {
        () if says(&["import", "imports", "imported"]) => Thing::Import,
        () if says(&["function", "functions", "method", "methods", "helper", "helpers"]) => Thing::Function,
        () if says(&[
            "variable",
            "variables",
            "parameter",
            "parameters",
            "argument",
            "arguments",
            "local",
            "constant",
            "assigned",
        ]) =>
        {
            Thing::Variable
        }
        () if says(&["class", "classes", "type", "types"]) => Thing::Type,
        () if says(&["field", "fields", "property", "properties"]) => Thing::Field,
        () => Thing::Any,
    }
}

/// Splits a text at the ends of sentences and lines. The end stays part of the sentence.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        line.split_inclusive(". ")
            .flat_map(|part| part.split_inclusive("! "))
            .flat_map(|part| part.split_inclusive("? "))
    })
}

fn shortened(sentence: &str) -> String {
    let sentence = sentence.trim();
    match sentence.chars().count() > MAX_SENTENCE_CHARS {
        true => sentence.chars().take(MAX_SENTENCE_CHARS - 1).chain(['…']).collect(),
        false => sentence.to_owned(),
    }
}
