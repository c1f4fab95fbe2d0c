//! Finds tokens whose issuer no rule knows by their common form: a short prefix, an underscore and many random characters: `whk_…`.
//!
//! In: a text. Out: spans. Identifiers of services have such a prefix as well, but are shorter.

use super::engine::is_word;
use super::runs::runs;
use super::span::Span;
use super::values::looks_random;

/// The rule's name in reports and markers.
const RULE: &str = "prefixed-token";

/// The lengths in bytes of a token, of its prefix and of its random part.
const LENGTHS: std::ops::RangeInclusive<usize> = 32..=96;
const PREFIX: std::ops::RangeInclusive<usize> = 2..=10;
const MIN_RANDOM: usize = 28;
/// The least number of letters of each case, and of digits, in the random part.
const MIN_LETTERS: usize = 4;
const MIN_DIGITS: usize = 2;

/// Adds the tokens of a text.
pub(super) fn find(text: &[u8], spans: &mut Vec<Span>) {
    for (start, end) in runs(text, *LENGTHS.start(), is_word) {
        // Signs of base64 and of names in style sheets: a longer text goes on there.
        let is_part = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(|byte| b"+/=-".contains(byte));
        if LENGTHS.contains(&(end - start))
            && !is_part(start.checked_sub(1))
            && !is_part(Some(end))
            && is_token(&text[start..end])
        {
            spans.push(Span::new(start, end, RULE.into()));
        }
    }
}

fn is_token(word: &[u8]) -> bool {
    let Some(prefix) = word.iter().position(|byte| *byte == b'_') else { return false };
    // `acme_live_…`
    let middle = word[prefix + 1..].iter().position(|byte| *byte == b'_').map_or(0, |length| length + 1);
    let is_lower = |part: &[u8]| part.iter().all(u8::is_ascii_lowercase);
    let random = &word[prefix + 1 + middle..];
    let count = |is: fn(&u8) -> bool| random.iter().filter(|byte| is(byte)).count();
    PREFIX.contains(&prefix)
        && is_lower(&word[..prefix])
        && is_lower(word[prefix + 1..prefix + 1 + middle].strip_suffix(b"_").unwrap_or_default())
        && random.len() >= MIN_RANDOM
        && random.iter().all(u8::is_ascii_alphanumeric)
        && count(u8::is_ascii_uppercase).min(count(u8::is_ascii_lowercase)) >= MIN_LETTERS
        && count(u8::is_ascii_digit) >= MIN_DIGITS
        && changes(random) * 20 >= random.len() * 9
        && looks_random(random)
}

/// Returns how often two characters of different kinds follow each other: about 60 of 100 in random text, fewer in names of many words.
fn changes(text: &[u8]) -> usize {
    let kind = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    text.windows(2).filter(|two| kind(two[0]) != kind(two[1])).count()
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn tokens_of_unknown_services_are_masked() {
        check(
            "docs/adr/0012.md",
            &[
                "Lindqvist got ⟦whk_Bx2v9xC5CIGio4JVge86wBADpoVRDi97⟧ and",
                "client(\"⟦mto_live_PUxQ7JuU3Z4MXiYbyne4bGexgCL54nXk⟧\")",
                "pi_3MtwBwLkdIwHu7ix28a3tqPa",
                "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
                "test_whenTheServerReturns404ThenTheClientRetries3TimesWith2Seconds",
                "css_Bx2v9xC5CIGio4JVge86wBADpoVRDi97/main",
            ],
        );
    }
}
