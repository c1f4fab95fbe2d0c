//! Checks the sentences of agents about the chapters of the reading order.
//!
//! Out: the sentences that quote code of the change, at its real lines. The others are dropped.

use crate::evidence::QuoteCheck;
use crate::files::Files;
use diffsan_change::{Change, FileChange};
use diffsan_review::chapters::{AgentChapter, ChapterSentence};
use diffsan_review::finding::Side;
use diffsan_review::quotes::CheckedQuote;

/// The maximum number of sentences of a review, and of characters of one.
const MAX_SENTENCES: usize = 100;
const MAX_CHARS: usize = 300;

/// Checks the sentences of every agent, by its name. A sentence without quoted code in a hunk of the change is dropped.
pub fn check_chapters(found: Vec<(String, Vec<AgentChapter>)>, change: &Change, files: &Files) -> Vec<ChapterSentence> {
    let check = QuoteCheck::new(change, files);
    let each = found.into_iter().flat_map(|(source, list)| list.into_iter().map(move |one| (source.clone(), one)));
    let checked = each.filter_map(|(source, AgentChapter { sentence, evidence })| {
        let (mut evidence, _) = check.check(evidence);
        evidence.retain(|quote| is_in_hunk(change, quote));
        let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
        let fits = !sentence.is_empty() && sentence.chars().count() <= MAX_CHARS;
        (fits && !evidence.is_empty()).then_some(ChapterSentence { sentence, evidence, source })
    });
    checked.take(MAX_SENTENCES).collect()
}

/// Whether a hunk contains the first line of quoted code.
fn is_in_hunk(change: &Change, quote: &CheckedQuote) -> bool {
    let path = |file: &FileChange| match quote.side {
        Side::Old => file.old_path.clone(),
        Side::New => file.new_path.clone(),
    };
    let files = change.files.iter().filter(|file| path(file).is_some_and(|path| path.to_text() == quote.path));
    files.flat_map(|file| file.hunks()).any(|hunk| {
        hunk.numbered()
            .any(|line| (if quote.side == Side::Old { line.old } else { line.new }) == Some(quote.line_start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use diffsan_change::parse_patch;
    use diffsan_review::quotes::CodeQuote;

    fn quote(line: u32, text: &str) -> CodeQuote {
        CodeQuote { path: "a.rs".to_owned(), line_start: line, line_end: line, quote: text.to_owned() }
    }

    fn chapter(sentence: &str, evidence: Vec<CodeQuote>) -> AgentChapter {
        AgentChapter { sentence: sentence.to_owned(), evidence }
    }

    #[test]
    fn a_sentence_needs_code_in_a_hunk() {
        let patch = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,2 @@\n-let limit = 9;\n+let limit = 10;\n let retries = 3;\n";
        let change = parse_patch(patch.into()).unwrap();
        let mut files = Files::default();
        files.insert("a.rs", Side::New, "let limit = 10;\nlet retries = 3;\n\n\n\n\n\n\nfar_away();\n");
        let long = "word ".repeat(100);
        let found = vec![
            chapter("The limit\n is higher.", vec![quote(1, "let limit = 10;"), quote(9, "far_away();")]),
            chapter("It is far away.", vec![quote(9, "far_away();")]),
            chapter("It is made up.", vec![quote(1, "let limit = 11;")]),
            chapter("It has no code.", Vec::new()),
            chapter(" ", vec![quote(1, "let limit = 10;")]),
            chapter(&long, vec![quote(1, "let limit = 10;")]),
        ];
        let checked = check_chapters(vec![("codex".to_owned(), found)], &change, &files);
        let shown: Vec<_> = checked.iter().map(|one| (one.sentence.as_str(), one.evidence.len())).collect();
        assert_eq!(shown, [("The limit is higher.", 1)]);
    }
}
