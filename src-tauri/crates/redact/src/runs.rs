//! Finds long runs of bytes of a kind. In: a text, the kind and the least length. Out: the ranges of the runs, in order.

/// Returns the runs of at least `shortest` bytes.
#[inline]
pub(super) fn runs(text: &[u8], shortest: usize, is: impl Fn(u8) -> bool) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at + shortest <= text.len() {
            // Every run of this length has a byte at one of the places tested here, so most of the text is skipped in such steps.
            if !is(text[at + shortest - 1]) {
                at += shortest;
                continue;
            }
            let back = text[at..at + shortest].iter().rev().take_while(|byte| is(**byte)).count();
            let start = at + shortest - back;
            let end = at + shortest + text[at + shortest..].iter().take_while(|byte| is(**byte)).count();
            at = end + 1;
            if end - start >= shortest {
                return Some((start, end));
            }
        }
        None
    })
}
