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
    NotImported,
    Undefined,
}

/// A statement of a finding about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stated {
    /// A plain statement about a name, which may be a path such as `Queue::push`.
    Plain(Kind, String),
    /// A sentence that states something about use or definition, but not plainly or not about a name that can be read.
    Other(String),
}

/// A name in backticks, with or without the parentheses of a call.
pub(super) const NAME: &str = r"`([A-Za-z_$][\w$.:]*)(?:\(\))?`";

fn all(patterns: &[(Kind, String)]) -> Vec<(Kind, Regex)> {
    patterns.iter().filter_map(|(kind, pattern)| Some((*kind, Regex::new(pattern).ok()?))).collect()
}

static STATEMENTS: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
    let thing = r"(?:(?:the|local|private|public|new|exported)\s+)*(?:(?:variable|function|method|import|parameter|argument|constant|class|type|symbol|field|helper|module|name|identifier|property)s?:?\s+)?";
    let noun = r"(?:\s+(?:variable|function|method|import|parameter|argument|constant|class|type|symbol|field|helper|module|property))?";
    let is = r"(?:\s+(?:is|are|was))?(?:\s+(?:imported|defined|declared|assigned|added|computed|set|introduced)\s*,?\s+(?:but|and|yet)(?:\s+(?:it\s+)?is)?)?\s+(?:now\s+|currently\s+|actually\s+)?";
    let end = r"(?:\s+(?:anywhere|at all|anymore|any more|any longer|now))?";
    all(&[
        (Kind::NeverCalled, format!(r"(?i){NAME}{noun}{is}(?:never|not|no longer|nowhere)\s+(?:called|invoked){end}")),
        (
            Kind::Unused,
            format!(
                r"(?i){NAME}{noun}{is}(?:unused|(?:never|not|no longer)\s+(?:used|read|referenced)|dead code|unreferenced){end}"
            ),
        ),
        (Kind::Unused, format!(r"(?i)\bunused\s+{thing}{NAME}")),
        (Kind::NotImported, format!(r"(?i){NAME}{noun}{is}(?:not|never)\s+imported{end}")),
        (Kind::NotImported, format!(r"(?i)\bmissing\s+import(?:\s+(?:of|for))?:?\s+{thing}{NAME}")),
        (
            Kind::Undefined,
            format!(r"(?i){NAME}{noun}{is}(?:undefined|undeclared|(?:not|never)\s+(?:defined|declared)){end}"),
        ),
        (Kind::Undefined, format!(r"(?i){NAME}{noun}\s+(?:does not|doesn't)\s+exist")),
        (Kind::Undefined, format!(r"(?i)\b(?:undefined|undeclared)\s+{thing}{NAME}")),
    ])
});

/// The words that show that a sentence is about use, calls, imports or definitions.
static TRIGGER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let verbs = "called|invoked|used|read|referenced|accessed|imported|defined|declared";
    Regex::new(&format!(
        r"(?i)\b(?:unused|unreferenced|undefined|undeclared|dead code|is dead|unreachable|missing import|lacks an import|no (?:callers?|usages?|references?|uses)|nothing (?:calls|uses|references)|nobody (?:calls|uses)|(?:never|not|no longer|nowhere|isn't|aren't|wasn't)(?:\s+\w+)?\s+(?:{verbs})|(?:does not|doesn't|do not|don't|never) (?:exist|imports?|calls?|uses?)|without (?:being\s+)?(?:imported|importing|defined|declared))\b"
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

/// What may follow a plain statement: its end, a reason or a consequence without a limit.
static PLAIN_AFTER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)^\s*(?:$|[.!:;,)\u{2014}\u{2013}-]|and\b|so\b|here\s*(?:$|[.!,;]))").ok());

/// The words behind a statement that limit it.
static LIMITS_AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:if|when|unless|except|only|until|but|besides|than|apart|outside|twice|tests?|whether|though|although|perhaps|maybe|possibly|probably|likely|right)\b")
        .ok()
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
    for (kind, pattern) in STATEMENTS.iter() {
        for captures in pattern.captures_iter(sentence) {
            let (Some(whole), Some(name)) = (captures.get(0), captures.get(1)) else { continue };
            let (before, after) = (&sentence[..whole.start()], &sentence[whole.end()..]);
            let plain = !sentence.trim_end().ends_with('?')
                && !has(&LIMITS_BEFORE, before)
                && has(&PLAIN_AFTER, after)
                && !has(&LIMITS_AFTER, after);
            found.push(match plain {
                true => Stated::Plain(*kind, name.as_str().to_owned()),
                false => Stated::Other(shortened(sentence)),
            });
        }
    }
    found
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
