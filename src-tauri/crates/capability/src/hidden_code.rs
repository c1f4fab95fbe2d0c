//! Code that runs although no name in the text says which: members with a computed name, proxies, classes that are found at run time, and
//! methods that a statement runs without naming them.

use super::facts::{COMPUTED, Use, UseKind};
use diffsan_syntax::language::Language;

/// Methods that run when an object is created or destroyed, besides the constructor.
pub(crate) const LIFECYCLE: &[&str] = &["__new__", "__post_init__", "__del__", "__destruct", "drop"];

/// Methods of Python that statements run.
const IMPLICIT: &[&str] = &["__enter__", "__exit__", "__aenter__", "__aexit__", "__iter__", "__next__"];

/// The objects that contain the global names of scripts.
pub(crate) const SCRIPT_GLOBALS: &[&str] = &["window", "globalThis", "global", "self"];

/// Members that a framework gives to objects, and the value of which other code decides.
const INJECTED: &[(&str, &str)] = &[("vue", "inject"), ("@vue/runtime-core", "inject")];

/// Methods of objects that send, store or run something.
const ACTING: &[&str] = &[
    "delete", "dispatch", "exec", "execute", "fetch", "get", "head", "invoke", "patch", "post", "publish", "put",
    "query", "request", "save", "send", "upload", "write",
];

/// Returns whether a use is a call that a statement makes without naming the method.
pub(crate) fn is_implicit(language: Language, one: &Use) -> bool {
    language == Language::Python
        && one.kind == UseKind::Call
        && one.chain.segs.last().is_some_and(|last| IMPLICIT.contains(&last.name.as_str()))
}

/// Returns whether a method's name says that it does something outside of its object, if the object is a client of a service.
pub(crate) fn is_acting(method: &str) -> bool {
    ACTING.contains(&method)
}

/// Returns why it is not known which code a call of a symbol runs.
pub(crate) fn reason(language: Language, symbol: &[String], builtin: bool) -> Option<String> {
    let (root, last) = (symbol.first()?.as_str(), symbol.last()?.as_str());
    let name = symbol.join(".");
    match language {
        _ if language.is_script() => {
            let is_injected = |(module, member): &(&str, &str)| {
                root == *module && symbol.get(1).is_some_and(|name| name == member) && symbol.len() > 2
            };
            if SCRIPT_GLOBALS.contains(&root) && symbol.iter().any(|name| name == COMPUTED) {
                Some(format!("{name} is a global whose name is computed"))
            } else if builtin && root == "Proxy" && symbol.len() > 1 {
                Some(format!("a Proxy decides what {last} does"))
            } else if INJECTED.iter().any(is_injected) && is_acting(last) {
                Some(format!("the value of {} is given by other code", symbol[..2].join(".")))
            } else {
                None
            }
        }
        Language::Python => {
            let computes = builtin && root == "globals" || name.starts_with("sys.modules");
            computes.then(|| format!("{root} gives code by a computed name"))
        }
        Language::Java => {
            let loads = name.starts_with("java.util.ServiceLoader.load");
            loads.then(|| "ServiceLoader runs classes that are found at run time".to_owned())
        }
        _ => None,
    }
}
