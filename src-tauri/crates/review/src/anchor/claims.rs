//! Claims of findings that a search can check without a model: that a symbol is unused, undefined, never called or not imported, and that
//! the named symbols exist.
//!
//! In: a finding, and the places of its symbols in the head. Out: claims with a verdict and its evidence. A search without a result leads
//! to the verdict "unchecked".

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::finding::{AgentFinding, Anchor, AnchorState, Claim, Evidence, Verdict};

/// The maximum number of symbols of one finding that are searched for.
const MAX_SYMBOLS: usize = 12;

/// The places of symbols in the head: by symbol, in the order of files and lines.
pub type Occurrences = BTreeMap<String, Vec<Evidence>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    NeverCalled,
    Unused,
    NotImported,
    Undefined,
    Named,
}

static PATTERNS: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
    let name = r"`([A-Za-z_$][\w$.:]*)(?:\(\))?`";
    let thing = r"(?:(?:the|local|private|public|new|exported)\s+)*(?:(?:variable|function|method|import|parameter|argument|constant|class|type|symbol|field|helper|module|name|identifier|property)s?\s+)?";
    let is = r"\s+(?:\w+\s+){0,2}?(?:is|are|was|seems|appears(?: to be)?|being)\s+(?:\w+\s+)?";
    let patterns = [
        (
            Kind::NeverCalled,
            format!(r"{name}{is}?(?:never|not|nowhere|isn't|no longer)\s*(?:actually\s+)?(?:called|invoked)"),
        ),
        (
            Kind::Unused,
            format!(
                r"{name}{is}?(?:unused|never (?:used|read|referenced)|not (?:used|referenced)|dead code|unreferenced)"
            ),
        ),
        (Kind::Unused, format!(r"(?i)\bunused\s+{thing}{name}")),
        (Kind::NotImported, format!(r"{name}{is}?(?:not|never)\s+imported")),
        (Kind::NotImported, format!(r"(?i)\bmissing\s+import(?:\s+(?:of|for))?\s+{thing}{name}")),
        (Kind::NotImported, format!(r"(?i)\b(?:does not|doesn't|never)\s+import\s+{thing}{name}")),
        (
            Kind::Undefined,
            format!(r"{name}{is}?(?:undefined|undeclared|not (?:defined|declared)|never (?:defined|declared))"),
        ),
        (Kind::Undefined, format!(r"{name}\s+(?:does not|doesn't)\s+exist")),
        (Kind::Undefined, format!(r"(?i)\b(?:undefined|undeclared)\s+{thing}{name}")),
        (Kind::Named, name.to_owned()),
    ];
    patterns.into_iter().filter_map(|(kind, pattern)| Some((kind, Regex::new(&pattern).ok()?))).collect()
});

/// Returns the claims of a finding: each symbol once, with its strongest claim.
fn claimed_symbols(finding: &AgentFinding) -> BTreeMap<String, Kind> {
    let text = format!("{}\n{}", finding.title.as_deref().unwrap_or_default(), without_blocks(&finding.body_markdown));
    let mut found: BTreeMap<String, Kind> = BTreeMap::new();
    for (kind, pattern) in PATTERNS.iter() {
        for captures in pattern.captures_iter(&text) {
            let Some(symbol) = captures.get(1).and_then(|name| symbol(name.as_str())) else { continue };
            if found.len() < MAX_SYMBOLS || found.contains_key(&symbol) {
                let known = found.entry(symbol).or_insert(*kind);
                *known = (*known).min(*kind);
            }
        }
    }
    found
}

/// Returns the last name of a path if it looks like a symbol of code and not like a word.
fn symbol(path: &str) -> Option<String> {
    let name = path.trim_end_matches(['.', ':']).rsplit(['.', ':']).next()?;
    let word = name.chars().all(|char| char.is_ascii_lowercase()) && name.len() < 4;
    let number = name.chars().all(|char| char.is_ascii_digit());
    let keyword =
        ["true", "false", "null", "None", "self", "this", "undefined", "return", "await", "async"].contains(&name);
    (!name.is_empty() && !word && !number && !keyword).then(|| name.to_owned())
}

/// Removes fenced code, which usually is a proposal.
fn without_blocks(text: &str) -> String {
    let mut inside = false;
    let kept = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// Returns the symbols of all findings, sorted, for the search of the head.
pub fn symbols<'a>(findings: impl Iterator<Item = &'a AgentFinding>) -> Vec<String> {
    let mut all: Vec<String> = findings.flat_map(|finding| claimed_symbols(finding).into_keys()).collect();
    all.sort();
    all.dedup();
    all
}

/// Checks the claims of a finding. `searched` says whether the whole head was searched.
pub fn check(finding: &AgentFinding, anchor: &Anchor, places: &Occurrences, searched: bool) -> (Verdict, Vec<Claim>) {
    let mut claims = Vec::new();
    if let Some(quote) = finding.quote.as_deref().filter(|quote| !quote.trim().is_empty()) {
        let verdict = match anchor.state {
            AnchorState::Verified | AnchorState::Moved => Verdict::Verified,
            AnchorState::Unplaced => Verdict::Unchecked,
            _ if anchor.notes.iter().any(|note| note == super::QUOTE_NOWHERE) => Verdict::Contradicted,
            _ => Verdict::Unchecked,
        };
        let line = quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        let evidence = (verdict == Verdict::Verified).then_some(()).and(anchor.line_start).map(|number| Evidence {
            path: anchor.path.clone(),
            line: number,
            text: line.to_owned(),
        });
        claims.push(Claim { claim: "the quoted code is there".to_owned(), verdict, evidence });
    }
    if searched {
        for (symbol, kind) in claimed_symbols(finding) {
            claims.extend(judge(&symbol, kind, anchor, places.get(&symbol).map_or(&[][..], Vec::as_slice)));
        }
    }
    let any = |verdict| claims.iter().any(|claim: &Claim| claim.verdict == verdict);
    let verdict = if any(Verdict::Contradicted) {
        Verdict::Contradicted
    } else if any(Verdict::Verified) {
        Verdict::Verified
    } else {
        Verdict::Unchecked
    };
    (verdict, claims)
}

fn judge(symbol: &str, kind: Kind, anchor: &Anchor, places: &[Evidence]) -> Option<Claim> {
    let code: Vec<&Evidence> = places.iter().filter(|place| !is_remark(&place.text)).collect();
    let defines = |place: &Evidence| is_definition(&place.text, symbol);
    let imports = |place: &Evidence| is_import(&place.text);
    let first =
        |wanted: &dyn Fn(&Evidence) -> bool| code.iter().find(|place| wanted(place)).map(|place| (*place).clone());
    let here = |place: &Evidence| place.path == anchor.path;
    let (claim, verdict, evidence) = match kind {
        Kind::NeverCalled => {
            let call = first(&|place| is_call(&place.text, symbol) && !defines(place));
            let verdict = verdict(call.is_some(), first(&defines).is_some());
            (format!("`{symbol}` is never called"), verdict, call.or_else(|| first(&defines)))
        }
        Kind::Unused => {
            let used = first(&|place| !defines(place) && !imports(place) && !is_export(&place.text, symbol));
            let known = first(&|place| defines(place) || imports(place));
            (format!("`{symbol}` is unused"), verdict(used.is_some(), known.is_some()), used.or(known))
        }
        Kind::NotImported => {
            let there = first(&|place| here(place) && (imports(place) || defines(place)));
            let used = first(&here);
            (format!("`{symbol}` is not imported"), verdict(there.is_some(), used.is_some()), there.or(used))
        }
        Kind::Undefined => {
            let there = first(&|place| here(place) && (imports(place) || defines(place)));
            let elsewhere = first(&defines);
            let verdict = match (&there, &elsewhere) {
                (Some(_), _) => Verdict::Contradicted,
                (None, Some(_)) => Verdict::Unchecked,
                (None, None) => Verdict::Verified,
            };
            (format!("`{symbol}` is not defined"), verdict, there.or(elsewhere))
        }
        Kind::Named => {
            // A name without a place may be a proposed one, so it yields no claim.
            let place = first(&defines).or_else(|| first(&|_| true))?;
            (format!("`{symbol}` is there"), Verdict::Verified, Some(place))
        }
    };
    Some(Claim { claim, verdict, evidence })
}

fn verdict(against: bool, known: bool) -> Verdict {
    match (against, known) {
        (true, _) => Verdict::Contradicted,
        (false, true) => Verdict::Verified,
        (false, false) => Verdict::Unchecked,
    }
}

fn is_remark(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "#", "*", "/*", "--", "<!--", "\"\"\""].iter().any(|mark| line.starts_with(mark))
        && !line.starts_with("#[")
        && !line.starts_with("#include")
}

fn is_import(line: &str) -> bool {
    let line = line.trim_start();
    [
        "import ",
        "from ",
        "use ",
        "pub use ",
        "require ",
        "require_relative ",
        "include ",
        "#include",
        "using ",
        "export {",
        "export *",
    ]
    .iter()
    .any(|word| line.starts_with(word))
        || line.contains("require(")
        || line.contains(" import ")
}

fn is_export(line: &str, symbol: &str) -> bool {
    let line = line.trim().trim_end_matches(';');
    line == format!("export default {symbol}") || line.starts_with("export {") || line.starts_with("module.exports")
}

fn is_call(line: &str, symbol: &str) -> bool {
    line.match_indices(symbol).any(|(at, _)| {
        let rest = line[at + symbol.len()..].trim_start();
        rest.starts_with('(') || rest.starts_with("!(") || rest.starts_with("::<") || rest.starts_with("?.(")
    })
}

/// Returns whether a line defines the symbol: behind a keyword of declarations, or before an assignment.
fn is_definition(line: &str, symbol: &str) -> bool {
    const DECLARES: &[&str] = &[
        "fn",
        "def",
        "func",
        "function",
        "class",
        "struct",
        "enum",
        "trait",
        "interface",
        "type",
        "let",
        "const",
        "var",
        "static",
        "mod",
        "module",
        "record",
        "object",
        "val",
        "mut",
        "namespace",
        "macro_rules!",
        "function*",
        "ref",
    ];
    line.match_indices(symbol).any(|(at, _)| {
        let (before, after) = (line[..at].trim_end(), line[at + symbol.len()..].trim_start());
        let whole = !line[..at].ends_with(|char: char| char.is_alphanumeric() || "_$.".contains(char))
            && !line[at + symbol.len()..].starts_with(|char: char| char.is_alphanumeric() || char == '_');
        let declared = before
            .rsplit(|char: char| char.is_whitespace() || "(,{".contains(char))
            .next()
            .is_some_and(|word| DECLARES.contains(&word));
        // The name of a Go method follows its receiver. In other languages the type may come before the name.
        let method = before.ends_with(')') && before.trim_start().starts_with("func");
        let assigned = (after.starts_with(":=")
            || after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>"))
            && before.chars().all(|char| char.is_whitespace() || char.is_alphanumeric() || "_<>[]*&:".contains(char));
        whole && (declared || method || assigned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Category, Severity, Side};

    fn checked(body: &str, code: &[(&str, u32, &str)]) -> Vec<(String, Verdict, Option<u32>)> {
        let finding = AgentFinding {
            finding_id: None,
            severity: Severity::Low,
            category: Category::Correctness,
            path: "a.ts".into(),
            line_start: 1,
            line_end: 1,
            title: None,
            body_markdown: body.into(),
            side: None,
            quote: None,
            confidence: None,
            suggested_patch: None,
        };
        let anchor = Anchor {
            state: AnchorState::Unverified,
            path: "a.ts".into(),
            side: Side::New,
            line_start: Some(1),
            line_end: Some(1),
            in_change: true,
            notes: Vec::new(),
        };
        let mut places = Occurrences::new();
        for symbol in symbols(std::iter::once(&finding)) {
            let found = code.iter().filter(|(_, _, text)| text.contains(&symbol));
            let found =
                found.map(|(path, line, text)| Evidence { path: (*path).into(), line: *line, text: (*text).into() });
            let found = found.collect();
            places.insert(symbol, found);
        }
        let (_, claims) = check(&finding, &anchor, &places, true);
        claims.into_iter().map(|claim| (claim.claim, claim.verdict, claim.evidence.map(|place| place.line))).collect()
    }

    #[test]
    fn never_called_is_searched_for() {
        let define = ("a.ts", 1, "export function refund(order) {");
        let claim = || "`refund` is never called".to_owned();
        assert_eq!(checked("`refund()` is never called.", &[define]), [(claim(), Verdict::Verified, Some(1))]);
        let call = ("b.ts", 9, "  await refund(order);");
        assert_eq!(checked("`refund` is never called.", &[define, call]), [(claim(), Verdict::Contradicted, Some(9))]);
        let remark = ("b.ts", 9, "  // refund(order) comes later");
        assert_eq!(checked("`refund` is never called.", &[define, remark])[0].1, Verdict::Verified);
        assert_eq!(checked("`refund` is never called.", &[])[0].1, Verdict::Unchecked);
    }

    #[test]
    fn unused_is_searched_for() {
        let import = ("a.ts", 1, "import { Order } from './order';");
        assert_eq!(checked("Unused import `Order`.", &[import])[0].1, Verdict::Verified);
        let used = ("a.ts", 7, "  const open: Order[] = [];");
        let found = checked("The import `Order` is unused.", &[import, used]);
        assert_eq!((found[0].1, found[0].2), (Verdict::Contradicted, Some(7)));
    }

    #[test]
    fn undefined_and_not_imported_are_searched_for_in_the_file() {
        let use_ = ("a.ts", 3, "  total(items)");
        assert_eq!(checked("`total` is undefined here.", &[use_])[0].1, Verdict::Verified);
        let elsewhere = ("b.ts", 1, "function total(items) {");
        assert_eq!(checked("`total` is undefined here.", &[use_, elsewhere])[0].1, Verdict::Unchecked);
        let import = ("a.ts", 1, "import { total } from './b';");
        assert_eq!(checked("`total` is not defined.", &[use_, import, elsewhere])[0].1, Verdict::Contradicted);
        assert_eq!(checked("Missing import for `total`.", &[use_, elsewhere])[0].1, Verdict::Verified);
        assert_eq!(checked("`total` is never imported", &[use_, import])[0].1, Verdict::Contradicted);
    }

    #[test]
    fn existing_names_are_verified_and_others_stay_unchecked() {
        let there = ("b.ts", 4, "class Mailer {");
        let claims = checked("Use `Mailer` and `makeMailer` here.\n```\n`Other`\n```", &[there]);
        assert_eq!(claims, [("`Mailer` is there".to_owned(), Verdict::Verified, Some(4))]);
    }
}
