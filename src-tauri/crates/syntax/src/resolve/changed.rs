//! Compares the signatures of a file's definitions before and after a change.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use tree_sitter::{Node, Tree};

use super::{Place, place_of};
use crate::language::Language;
use crate::symbols::{Definition, FileSymbols};

/// A definition whose signature the change has edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SignatureChange {
    /// The definition in the base.
    pub base: Place,
    /// The definition in the head. `None` if it is removed.
    pub head: Option<Place>,
    /// The signature in the base.
    pub before: String,
    /// The signature in the head.
    pub after: Option<String>,
}

/// A version of a file.
#[derive(Clone, Copy)]
pub struct Version<'a> {
    /// The path.
    pub path: &'a str,
    /// The text.
    pub text: &'a [u8],
    /// The symbols of the text.
    pub symbols: &'a FileSymbols,
}

/// Returns the callable definitions whose signature differs in more than layout and comments, by position in the base. A removed
/// definition counts. Definitions with equal names in one container are left out, because nothing says which one became which.
pub fn changed_signatures(base: Version<'_>, head: Option<Version<'_>>) -> Vec<SignatureChange> {
    let before = by_key(base.symbols);
    let after = head.map(|head| by_key(head.symbols)).unwrap_or_default();
    let (base_tree, head_tree) = (OnceCell::new(), OnceCell::new());
    let mut all = Vec::new();
    for (key, one) in &before {
        let Some(one) = one else { continue };
        let new = match after.get(key) {
            Some(Some(new)) => Some(*new),
            Some(None) => continue,
            None => None,
        };
        if let (Some(new), Some(head)) = (new, head) {
            let (old_bytes, new_bytes) = (bytes(base, one), bytes(head, new));
            // A file is parsed only if its signatures need it, and once, because it can have thousands of them.
            let equal = || match (plain_tokens(old_bytes), plain_tokens(new_bytes)) {
                (Some(old), Some(new)) => old == new,
                _ => tokens(base, one, &base_tree) == tokens(head, new, &head_tree),
            };
            if old_bytes == new_bytes || equal() {
                continue;
            }
        }
        all.push(SignatureChange {
            base: place_of(base.path, base.symbols, one),
            head: new.zip(head).map(|(new, head)| place_of(head.path, head.symbols, new)),
            before: signature(base, one),
            after: new.zip(head).map(|(new, head)| signature(head, new)),
        });
    }
    all.sort_by_key(|change| (change.base.line, change.base.column));
    all
}

/// The definition of each path of names, or `None` if several have it.
type ByKey<'a> = BTreeMap<Vec<&'a str>, Option<&'a Definition>>;

fn by_key(symbols: &FileSymbols) -> ByKey<'_> {
    let mut all = ByKey::new();
    for one in symbols.definitions.iter().filter(|one| one.kind.is_callable() && !one.kind.has_members() && !one.local)
    {
        all.entry(symbols.path_of(one)).and_modify(|known| *known = None).or_insert(Some(one));
    }
    all
}

fn bytes<'a>(version: Version<'a>, one: &Definition) -> &'a [u8] {
    version.text.get(one.start as usize..one.body as usize).unwrap_or_default()
}

/// Returns the text of a signature, without the space around it.
fn signature(version: Version<'_>, one: &Definition) -> String {
    String::from_utf8_lossy(bytes(version, one)).trim().trim_end_matches(['{', '=', ':']).trim_end().to_owned()
}

/// Returns the words and signs of a signature, without a comma before a closing bracket. `None` if it can have comments or text literals,
/// which only its language can read.
fn plain_tokens(signature: &[u8]) -> Option<Vec<&[u8]>> {
    let is_word = |byte: u8| byte == b'_' || !byte.is_ascii() || byte.is_ascii_alphanumeric();
    let mut found: Vec<&[u8]> = Vec::new();
    let mut rest = signature.trim_ascii_start();
    while let Some(&first) = rest.first() {
        if matches!(first, b'/' | b'#' | b'"' | b'\'' | b'`' | b'\\') {
            return None;
        }
        let length = if is_word(first) { rest.iter().take_while(|byte| is_word(**byte)).count() } else { 1 };
        push(&mut found, &rest[..length]);
        rest = rest[length..].trim_ascii_start();
    }
    Some(found)
}

/// Returns the tokens of a signature, without comments and without a comma before a closing bracket. `tree` is the version's syntax tree
/// once it is parsed.
fn tokens<'a>(version: Version<'a>, one: &Definition, tree: &OnceCell<Option<Tree>>) -> Vec<&'a [u8]> {
    let parse = || version.symbols.language.and_then(|language: Language| language.parse(version.text));
    let Some(tree) = tree.get_or_init(parse) else {
        return vec![bytes(version, one).trim_ascii()];
    };
    let (from, to) = (one.start as usize, one.body as usize);
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node: Node<'_> = cursor.node();
        let overlaps = node.start_byte() < to && node.end_byte() > from;
        if overlaps && !node.kind().contains("comment") {
            if cursor.goto_first_child() {
                continue;
            }
            let text = version.text.get(node.byte_range()).unwrap_or_default();
            if node.start_byte() >= from && node.end_byte() <= to && !text.is_empty() {
                push(&mut found, text);
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Adds a token. Removes a comma before a closing bracket.
fn push<'a>(tokens: &mut Vec<&'a [u8]>, token: &'a [u8]) {
    let closes = matches!(token, b")" | b"]" | b">" | b"}");
    if closes && tokens.last().is_some_and(|last| *last == b",") {
        tokens.pop();
    }
    tokens.push(token);
}
