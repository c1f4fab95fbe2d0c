//! The room that a diff leaves of its limits, and the entries of a list that fit into it.

use diffsan_config::Limits;
use diffsan_prepare::tokens;

/// A number of characters and of tokens.
pub(super) type Room = (u64, u64);

/// Returns the rest that the texts leave of the limits, at most `max_chars` characters.
pub(super) fn room(limits: &Limits, max_chars: u64, texts: &[&str]) -> Room {
    let left = |limit: u64, used: &dyn Fn(&str) -> u64| match limit {
        0 => u64::MAX,
        limit => limit.saturating_sub(texts.iter().map(|text| used(text)).sum()),
    };
    let chars = left(limits.max_diff_chars, &|text| text.chars().count() as u64).min(max_chars);
    (chars, left(limits.max_diff_tokens, &tokens::count))
}

/// Returns whether all entries together are too long, so that no further one can have a place.
pub(super) fn overflow(entries: &[String], (chars, _): Room) -> bool {
    let between = entries.len().saturating_sub(1);
    entries.iter().map(|entry| entry.chars().count()).sum::<usize>() + between
        > usize::try_from(chars).unwrap_or(usize::MAX)
}

/// Joins the first entries that fit. `rest` is the last line, which counts the others and those that are not among the entries.
pub(super) fn fit(
    entries: &[String],
    others: usize,
    (chars, max_tokens): Room,
    rest: &dyn Fn(usize) -> String,
) -> String {
    let fits = |text: &str| {
        text.chars().count() as u64 <= chars && (max_tokens == u64::MAX || tokens::count(text) <= max_tokens)
    };
    for count in (1..=entries.len()).rev() {
        let mut text = entries[..count].join("\n");
        let more = entries.len() - count + others;
        if more > 0 {
            text += "\n";
            text += &rest(more);
        }
        if fits(&text) {
            return text;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_entries_are_cut_first_and_counted() {
        let entries = ["a".repeat(40), "b".repeat(40), "c".repeat(40)];
        let rest = |more: usize| format!("{more} more");
        assert_eq!(fit(&entries, 0, (1000, u64::MAX), &rest), entries.join("\n"));
        let cut = fit(&entries, 0, (60, u64::MAX), &rest);
        assert_eq!(cut, format!("{}\n2 more", entries[0]));
        assert_eq!(fit(&entries[..2], 1, (60, u64::MAX), &rest), format!("{}\n2 more", entries[0]));
        assert!(!overflow(&entries, (122, u64::MAX)) && overflow(&entries, (121, u64::MAX)));
        assert!(fit(&entries, 0, (20, u64::MAX), &rest).is_empty());
        assert!(fit(&entries, 0, (1000, 3), &rest).is_empty());
    }
}
