//! Quick actions: lines that GitLab executes and removes from a note.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::effects::NoteEffects;

/// The names of GitLab's quick actions in all versions and editions, with their aliases, and of its substitutions.
pub const COMMANDS: &[&str] = &[
    "add_child",
    "add_contacts",
    "add_email",
    "add_parent",
    "approve",
    "assign",
    "assign_reviewer",
    "award",
    "blocked_by",
    "blocks",
    "board_move",
    "cc",
    "checkin_reminder",
    "child_epic",
    "clear_health_status",
    "clear_weight",
    "clone",
    "close",
    "confidential",
    "convert_to_ticket",
    "copy_metadata",
    "create_merge_request",
    "done",
    "draft",
    "due",
    "duplicate",
    "epic",
    "estimate",
    "health_status",
    "internal",
    "invite_email",
    "iteration",
    "label",
    "labels",
    "link",
    "lock",
    "merge",
    "milestone",
    "move",
    "page",
    "parent_epic",
    "promote",
    "promote_to",
    "promote_to_incident",
    "publish",
    "react",
    "ready",
    "reassign",
    "reassign_reviewer",
    "rebase",
    "relabel",
    "relate",
    "remove_assignee",
    "remove_child",
    "remove_child_epic",
    "remove_contacts",
    "remove_due_date",
    "remove_email",
    "remove_epic",
    "remove_estimate",
    "remove_iteration",
    "remove_label",
    "remove_milestone",
    "remove_parent",
    "remove_parent_epic",
    "remove_reviewer",
    "remove_time_estimate",
    "remove_time_spent",
    "remove_zoom",
    "reopen",
    "request_changes",
    "request_review",
    "reviewer",
    "set_parent",
    "severity",
    "ship",
    "shrug",
    "spend",
    "spend_time",
    "spent",
    "status",
    "submit_review",
    "subscribe",
    "tableflip",
    "tag",
    "target_branch",
    "time_estimate",
    "timeline",
    "title",
    "todo",
    "type",
    "unapprove",
    "unassign",
    "unassign_reviewer",
    "unlabel",
    "unlink",
    "unlock",
    "unsubscribe",
    "weight",
    "wip",
    "zoom",
];

/// Returns a pattern for a line that begins with a command. Ruby's `\s` is ASCII, but its case folding is not (`ſ` equals `s`).
fn command() -> String {
    format!(r"(?:^/(?P<command>{})(?:[ ][^\n]*)?(?:[ \t\r\n\f\v]*\n|$))", COMMANDS.join("|"))
}

/// Code spans and HTML blocks, which the extractor skips in a paragraph, and commands.
static IN_PARAGRAPH: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"`.+?`|^<[^>]+?>\n.+?\n</[^>]+?>$|{}", command())));

/// The extractor before GitLab 17. It searched the whole body and skipped fences of backticks, code spans that end at the end of a
/// line, HTML blocks and `>>>` quotes. It did not know tildes, indented code, `>` and lists.
static EVERYWHERE: LazyLock<Regex> = LazyLock::new(|| everywhere(r"^.*`\n*.+?\n*`$|"));

/// The same pattern for a text without code spans at the end of a line. Such a span can begin anywhere before its end, so that
/// searching for one takes quadratic time.
static EVERYWHERE_WITHOUT_SPANS: LazyLock<Regex> = LazyLock::new(|| everywhere(""));

fn everywhere(span: &str) -> Regex {
    pattern(&format!(r"^```.+?\n```$|{span}^<[^>]+?>\n.+?\n</[^>]+?>$|^>>>.+?\n>>>$|{}", command()))
}

fn pattern(text: &str) -> Regex {
    Regex::new(&format!("(?mis){text}")).expect("a pattern")
}

/// Returns the effects in the extractor before GitLab 17.
pub(super) fn read_everywhere(text: &str) -> NoteEffects {
    let (_, executed) = take_out_everywhere(text);
    NoteEffects { executed, ..NoteEffects::default() }
}

/// Returns the commands in the extractor since GitLab 17. It searches the source of paragraphs that are not inside other blocks;
/// the parser supplies their lines (from 1).
pub(super) fn read_paragraphs(text: &str, paragraphs: &[RangeInclusive<usize>]) -> Vec<String> {
    take_out_of_paragraphs(text, paragraphs).1
}

/// Returns the body as GitLab stores it.
pub(super) fn stored(text: &str, paragraphs: &[RangeInclusive<usize>]) -> String {
    let (text, _) = take_out_of_paragraphs(text, paragraphs);
    let (text, _) = take_out_everywhere(&text);
    text.trim_end_matches(|character: char| character.is_ascii_whitespace() || matches!(character, '\0' | '\x0b'))
        .to_owned()
}

fn take_out_everywhere(text: &str) -> (String, Vec<String>) {
    let spans = text.contains("`\n") || text.ends_with('`');
    take_out(if spans { &EVERYWHERE } else { &EVERYWHERE_WITHOUT_SPANS }, text)
}

fn take_out_of_paragraphs(text: &str, paragraphs: &[RangeInclusive<usize>]) -> (String, Vec<String>) {
    if !text.contains('/') {
        return (text.to_owned(), Vec::new());
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut kept, mut executed) = (String::with_capacity(text.len()), Vec::new());
    let mut next = 0;
    for paragraph in paragraphs {
        let start = paragraph.start().saturating_sub(1).max(next).min(lines.len());
        let mut end = (*paragraph.end()).clamp(start, lines.len());
        if lines.get(end) == Some(&"\n") {
            end += 1;
        }
        kept.extend(lines[next..start].iter().copied());
        let source = lines[start..end].concat();
        if source.starts_with('/') || source.contains("\n/") {
            let (rest, commands) = take_out(&IN_PARAGRAPH, &source);
            kept.push_str(&rest);
            executed.extend(commands);
        } else {
            kept.push_str(&source);
        }
        next = end;
    }
    kept.extend(lines[next..].iter().copied());
    (kept, executed)
}

fn take_out(pattern: &Regex, text: &str) -> (String, Vec<String>) {
    let mut executed = Vec::new();
    if !text.starts_with('/') && !text.contains("\n/") {
        return (text.to_owned(), executed);
    }
    let rest = pattern.replace_all(text, |found: &Captures<'_>| {
        let whole = &found[0];
        let Some(name) = found.name("command") else { return whole.to_owned() };
        executed.push(whole.trim_end().to_owned());
        // A substitution is replaced by a text.
        match name.as_str().to_lowercase().as_str() {
            "shrug" => r"¯\＿(ツ)＿/¯".to_owned() + "\n",
            "tableflip" => "(╯°□°)╯︵ ┻━┻\n".to_owned(),
            _ => String::new(),
        }
    });
    (rest.into_owned(), executed)
}
