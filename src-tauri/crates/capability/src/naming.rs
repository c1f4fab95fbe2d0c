//! What the names of a method and of its object say about effects, where nothing else is known.

use diffsan_syntax::language::Language;

use crate::builtins;
use crate::knowledge::Knowledge;
use crate::library_use::VALUE_METHODS;
use crate::project::simple;

/// What a name says about an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hint {
    /// Nothing.
    None,
    /// The method can have the effect, among others.
    Possible,
    /// Only methods with the effect have the name: `write_text`.
    Strong,
}

/// Objects of web frameworks and of tests, whose methods answer a request or make a page, whatever they are called.
const CONVENTIONAL: &[&str] = &[
    "res", "resp", "response", "reply", "req", "request", "ctx", "context", "c", "event", "e", "evt", "expect", "page",
    "element", "el", "node", "logger", "log",
];

/// Methods of values, collections and streams, besides those of [`VALUE_METHODS`]. What such a method does depends on its object.
const COMMON_METHODS: &[&str] = &[
    "get",
    "set",
    "add",
    "remove",
    "delete",
    "clear",
    "update",
    "copy",
    "index",
    "count",
    "insert",
    "search",
    "sub",
    "read",
    "write",
    "close",
    "all",
    "first",
    "last",
    "any",
    "select",
    "reject",
    "list",
    "exists",
    "run",
    "call",
    "start",
    "stop",
    "open",
    "create",
    "save",
    "load",
    "findall",
    "each",
    "head",
    "tail",
    "take",
    "skip",
    "move",
    "rename",
    "touch",
    "flush",
    "print",
    "println",
    "puts",
    "log",
    "info",
    "warn",
    "error",
    "debug",
    "trace",
    "emit",
    "on",
    "off",
    "once",
    "init",
    "setup",
    "reset",
    "use",
    "make",
    "new",
    "build",
    "end",
    "destroy",
    "kill",
    "connect",
    "next",
    "prev",
    "peek",
    "push",
    "pop",
    "shift",
    "merge",
    "patch",
    "options",
    "scan",
    "walk",
    "execute",
    "exec",
    "invoke",
    "perform",
    "process",
    "handle",
    "render",
    "show",
    "view",
    "link",
    "is",
    "where",
    "order",
    "limit",
    "group",
    "from",
    "into",
    "to",
    "of",
    "file",
    "path",
    "dir",
    "data",
    "text",
    "json",
    "bytes",
    "content",
    "contents",
    "stream",
    "chat",
    "complete",
    "generate",
    "embed",
    "collect",
    "gauge",
    "histogram",
    "counter",
    "increment",
    "decrement",
    "incr",
    "decr",
    "timing",
    "measure",
    "record",
    "capture",
    "track",
    "identify",
    "page",
    "alias",
    "hash",
    "sign",
    "verify",
    "digest",
    "encrypt",
    "decrypt",
    "random",
    "choice",
    "shuffle",
    "sample",
    "now",
    "today",
    "time",
    "sleep",
    "wait",
    "lookup",
    "resolve",
    "bind",
    "listen",
    "serve",
    "accept",
    "expire",
    "ttl",
    "incrby",
    "exists",
    "touch",
    "pluck",
    "sum",
    "average",
    "min",
    "max",
    "raw",
    "table",
    "column",
    "store",
    "put",
    "find",
    "append",
    "extend",
    "apply",
    "send",
    "query",
    "prepare",
    "fetch",
    "dump",
    "import",
    "export",
    "compile",
    "evaluate",
    "eval",
    "login",
    "logout",
    "dispatch",
    "schedule",
    "publish",
    "subscribe",
    "register",
    "notify",
    "attach",
    "detach",
    "allow",
    "deny",
    "grant",
    "revoke",
    "chain",
    "group",
    "signature",
    "parse",
    "match",
    "test",
    "replace",
    "trigger",
    "fire",
    "post",
    "request",
    "download",
    "upload",
    "remove_all",
    "watch",
    "lock",
    "unlock",
    "acquire",
    "release",
    "submit",
    "map",
    "filter",
    "reduce",
    "extract",
    "unpack",
    "pack",
    "convert",
    "transform",
    "ping",
    "info",
    "getinputstream",
    "getoutputstream",
    "getreader",
    "getwriter",
];

/// Methods that no value, collection or stream of a language has, although their names are one word.
const ACTING: &[&str] = &[
    "send", "query", "fetch", "publish", "post", "request", "execute", "download", "upload", "notify", "dispatch",
    "unlink", "rmdir",
];

/// Methods of several words that the objects of a browser have.
const PAGE_METHODS: &[&str] = &[
    "addeventlistener",
    "appendchild",
    "dispatchevent",
    "getattribute",
    "getelementbyid",
    "hasattribute",
    "insertbefore",
    "preventdefault",
    "queryselector",
    "queryselectorall",
    "removeattribute",
    "removechild",
    "removeeventlistener",
    "setattribute",
    "stoppropagation",
];

/// Returns whether the name of a method says which object it belongs to: it has several words, and neither the values of a language nor a listed
/// library have such a method.
pub(crate) fn is_distinctive(knowledge: &Knowledge, language: Language, method: &str) -> bool {
    let plain = simple(method);
    let is_common = [VALUE_METHODS, COMMON_METHODS, PAGE_METHODS].iter().any(|list| list.contains(&plain.as_str()));
    words_of(method).len() > 1
        && !method.starts_with("__")
        && !is_common
        && !builtins::is_builtin(language, method, false)
        && knowledge.effects_of_method(language, method).next().is_none()
}

/// Returns what the name of a method, with the names before it, says about one of the effects that `wanted` selects.
pub(crate) fn hint(knowledge: &Knowledge, language: Language, symbol: &str, wanted: impl Fn(usize) -> bool) -> Hint {
    let mut names = symbol.rsplit('.');
    let Some(method) = names.next() else { return Hint::None };
    let receiver = names.next();
    if language == Language::Ruby && builtins::is_builtin(language, method, false) {
        return Hint::None;
    }
    let (mut is_wanted, mut is_only) = (None, true);
    for effect in knowledge.effects_of_method(language, method) {
        if wanted(effect) {
            is_wanted.get_or_insert(effect);
        } else {
            is_only = false;
        }
    }
    if is_wanted.is_none() {
        return Hint::None;
    }
    let plain = simple(method);
    let is_common = VALUE_METHODS.contains(&plain.as_str()) || COMMON_METHODS.contains(&plain.as_str());
    let words = receiver.map(words_of).unwrap_or_default();
    let is_conventional = receiver.is_some_and(|receiver| CONVENTIONAL.contains(&receiver.to_lowercase().as_str()));
    let is_named = words.iter().any(|word| {
        let effects = knowledge.vocabulary.effects.iter().enumerate().filter(|(at, _)| wanted(*at));
        effects.into_iter().any(|(_, effect)| effect.receivers.contains(word))
    });
    match () {
        () if is_conventional && !is_named => Hint::None,
        () if is_only && !is_common && words_of(method).len() > 1 => Hint::Strong,
        () if is_named => Hint::Possible,
        // The name of the only object says nothing else: `x.send(y)`.
        () if is_common && ACTING.contains(&plain.as_str()) && words.iter().all(|word| word.len() <= 2) => {
            Hint::Possible
        }
        () if is_common => Hint::None,
        () => Hint::Possible,
    }
}

/// Returns the words of a name in lower case: `web` and `client` of `webClient`, `WebClient` and `web-client`.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_lower = false;
    for char in name.chars() {
        if !char.is_alphanumeric() || char.is_uppercase() && is_lower {
            words.push(String::new());
        }
        is_lower = char.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| char.is_alphanumeric()) {
            word.extend(char.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
