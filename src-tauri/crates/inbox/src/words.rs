//! Numbers and times in words.

use jiff::Timestamp;

/// Returns a number with its noun: `1 thread`, `2 threads`.
pub fn amount(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Returns a number of seconds in words: `2 days`. `None` for less than a minute.
fn span(seconds: i64) -> Option<String> {
    let steps = [(86_400, "day"), (3600, "hour"), (60, "minute")];
    let (length, noun) = steps.into_iter().find(|(length, _)| seconds >= *length)?;
    usize::try_from(seconds / length).ok().map(|count| amount(count, noun))
}

/// Returns how long ago a time is: `2 days ago`. A time in the future comes from a wrong clock and counts as now.
pub fn age(time: Timestamp, now: Timestamp) -> String {
    span(now.as_second() - time.as_second()).map_or_else(|| "just now".to_owned(), |span| format!("{span} ago"))
}

/// Returns the time until an end: `20 hours`.
pub(crate) fn until(end: Timestamp, now: Timestamp) -> String {
    span(end.as_second() - now.as_second()).unwrap_or_else(|| "a moment".to_owned())
}

/// Joins names: `bob`, `bob and carol`, `bob, carol and 2 others`.
pub(crate) fn names(all: &[&str]) -> String {
    match all {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [one, two] => format!("{one} and {two}"),
        [one, two, three] => format!("{one}, {two} and {three}"),
        [one, two, rest @ ..] => format!("{one}, {two} and {} others", rest.len()),
    }
}
