//! The effect of a use of a library that no table lists, as far as its name tells.

use smol_str::SmolStr;

use super::builtins;
use super::facts::Chain;
use super::project::simple;
use diffsan_syntax::language::Language;

/// Returns whether a chain is a member of a value whose type is one of a library, which the value's own name does not show.
pub(crate) fn is_member_of_value(chain: &Chain, symbol: &[String]) -> bool {
    let depth = chain.segs.len().saturating_sub(1);
    let of = symbol.len().checked_sub(depth + 1).and_then(|at| symbol.get(at));
    depth > 0 && of.is_some_and(|of| of.starts_with(char::is_uppercase) && of != chain.root())
}

/// Returns whether a call loads a module whose name is not in the text. A name in the text is resolved as an import.
pub(crate) fn is_computed_module(language: Language, symbol: &[String], args: &[SmolStr]) -> bool {
    let name = symbol.join(".");
    match language {
        Language::Python => {
            let loads = ["__import__", "importlib.import_module", "importlib.metadata.entry_points.load"];
            // A plain word can be a variable.
            loads.contains(&name.as_str()) && args.first().is_none_or(|module| !module.contains('.'))
        }
        language => language.is_script() && ["require", "import"].contains(&name.as_str()),
    }
}

/// Returns the name of the module of a symbol as people know it: the first three parts of a package of Java.
pub(crate) fn module_of(language: Language, symbol: &[String]) -> Option<String> {
    let parts = if language == Language::Java { symbol.len().min(3) } else { 1 };
    symbol.first().map(|_| symbol[..parts].join("."))
}

/// Returns whether a name is a class of PHP or Ruby itself.
pub(crate) fn is_class_of(language: Language, name: &str) -> bool {
    matches!(language, Language::Php | Language::Ruby) && builtins::is_builtin(language, name, true)
}

/// Returns whether a call of an unlisted member of a library does more than prepare its use: not a type that is created, a
/// setting or a conversion.
pub(crate) fn does_more_than_prepare(language: Language, symbol: &[String]) -> bool {
    let Some(name) = symbol.last().filter(|name| *name != "default" && symbol.len() > 1) else { return false };
    let plain = simple(name);
    let is_type = name.starts_with(char::is_uppercase) && language != Language::Go;
    let of_data = symbol[..symbol.len() - 1].iter().any(|part| {
        let part = part.to_lowercase();
        part == "builder" || DATA.iter().any(|end| part.ends_with(end))
    });
    !is_type
        && !of_data
        && !PREPARATIONS.iter().any(|start| plain.starts_with(start))
        && !VALUE_METHODS.contains(&plain.as_str())
}

/// The ends of names of types that only hold data.
pub(crate) const DATA: &[&str] = &[
    "message",
    "msg",
    "builder",
    "args",
    "request",
    "options",
    "config",
    "params",
    "settings",
    "input",
    "command",
    "exception",
    "error",
];

/// The beginnings of names of members that create, set or convert something.
pub(crate) const PREPARATIONS: &[&str] = &[
    "new",
    "with",
    "set",
    "get",
    "from",
    "to",
    "as",
    "is",
    "has",
    "add",
    "build",
    "config",
    "init",
    "default",
    "client",
    "use",
    "on",
    "parse",
    "close",
    "error",
    "option",
    "create",
    "connect",
    "must",
    "open",
    "make",
    "version",
    "enable",
    "disable",
    "wait",
    "start",
    "task",
    "shared",
    "chain",
    "signature",
    "register",
    "model",
    "schema",
    "plugin",
    "route",
    "streamfrom",
    "streamfor",
    "stopallstreams",
    "stopstream",
];

/// Methods of texts, lists and maps, in all languages.
pub(crate) const VALUE_METHODS: &[&str] = &[
    "join",
    "map",
    "filter",
    "push",
    "pop",
    "slice",
    "split",
    "trim",
    "replace",
    "foreach",
    "includes",
    "concat",
    "find",
    "some",
    "every",
    "reduce",
    "sort",
    "reverse",
    "keys",
    "values",
    "entries",
    "length",
    "size",
    "string",
    "equals",
    "then",
    "catch",
    "finally",
    "unwrap",
    "unwrapor",
    "unwrapordefault",
    "unwraporelse",
    "okor",
    "okorelse",
    "andthen",
    "maperr",
    "isok",
    "iserr",
    "issome",
    "isnone",
    "cloned",
    "copied",
    "compact",
    "uniq",
    "flatten",
    "seek",
    "rewind",
    "dup",
    "freeze",
    "expect",
    "clone",
    "iter",
    "into",
    "format",
    "strip",
    "encode",
    "decode",
    "append",
    "extend",
    "items",
    "put",
    "body",
    "tostring",
    "toowned",
    "with",
    "asstr",
    "display",
    "lock",
    "borrow",
    "borrowmut",
    "len",
    "startswith",
    "endswith",
    "indexof",
    "lastindexof",
    "findindex",
    "findlast",
    "tolowercase",
    "touppercase",
    "charat",
    "charcodeat",
    "codepointat",
    "substring",
    "padstart",
    "padend",
    "trimstart",
    "trimend",
    "localecompare",
    "replaceall",
    "flatmap",
    "flat",
    "unshift",
    "splice",
    "has",
    "containskey",
    "isempty",
    "match",
    "matchall",
    "present",
    "presence",
    "blank",
    "nil",
    "empty",
    "hashcode",
    "compareto",
    "tofixed",
    "stringify",
    "name",
    "id",
    "status",
    "url",
    "apply",
    "call",
    "bind",
    "s",
    "si",
    "group",
    "chord",
    "int64",
    "float64",
    "bool",
];

/// Returns whether one of an effect's hints occurs in a name.
pub(crate) fn suggests(symbol: &str, hints: &[String]) -> bool {
    let symbol = simple(symbol);
    hints.iter().any(|hint| symbol.contains(hint.as_str()))
}
