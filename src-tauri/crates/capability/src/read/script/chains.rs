//! The chains of names that expressions of scripts stand for.

use tree_sitter::Node;

use crate::facts::{COMPUTED, Chain, NAMELESS, SUPER, Seg, THIS};
use crate::read::Walk;

/// Returns whether a member waits for the promise that the call before it returns.
pub(super) fn is_promise(before: &[Seg], name: &str) -> bool {
    ["then", "catch", "finally"].contains(&name) && before.last().is_some_and(|seg| seg.called)
}

/// Methods of emitters of events that return the emitter.
const EMITTER_METHODS: &[&str] =
    &["addListener", "off", "on", "once", "prependListener", "ref", "removeListener", "setMaxListeners", "unref"];

/// Returns whether the call of a member returns the object before it.
fn returns_object(before: &[Seg], name: &str) -> bool {
    EMITTER_METHODS.contains(&name) && before.last().is_some_and(|seg| seg.called) || is_promise(before, name)
}

pub(super) fn is_promise_call(chain: &Chain) -> bool {
    chain.segs.split_last().is_some_and(|(last, before)| is_promise(before, &last.name))
}

/// Returns the module of `require("x")` or `import("x")`.
pub(super) fn is_require(walk: &Walk<'_>, node: Node<'_>) -> Option<String> {
    let function = node.child_by_field_name("function")?;
    if !(function.kind() == "import" || walk.text(function) == "require") {
        return None;
    }
    let module = node.child_by_field_name("arguments")?.named_child(0)?;
    // A name is a variable, so its module is not known.
    let is_text = ["string", "template_string"].contains(&module.kind());
    walk.literal(module).filter(|module| is_text && !module.is_empty())
}

pub(crate) fn chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "identifier" | "shorthand_property_identifier" | "type_identifier" => Some(Chain::name(walk.text(node))),
        "this" => Some(Chain::name(THIS)),
        "import" => Some(Chain::name("import")),
        "super" => Some(Chain::name(SUPER)),
        "member_expression" | "nested_identifier" => {
            let object = chain(walk, node.child_by_field_name("object")?).unwrap_or_else(Chain::nameless);
            Some(object.then(walk.field(node, "property")?.trim_start_matches('#')))
        }
        "subscript_expression" => {
            let object = chain(walk, node.child_by_field_name("object")?)?;
            match node.child_by_field_name("index").and_then(|index| walk.literal(index)) {
                Some(key) if node.child_by_field_name("index").is_some_and(|index| index.kind() == "string") => {
                    Some(object.then(key))
                }
                // Any global name can be meant.
                _ if ["globalThis", "window", "global", "self"].contains(&object.text().as_str()) => {
                    Some(object.then(COMPUTED))
                }
                _ => Some(object),
            }
        }
        "call_expression" => match is_require(walk, node) {
            Some(module) => Some(Chain::module(&module)),
            None => {
                let function = node.child_by_field_name("function")?;
                let found = chain(walk, function)?;
                // `promisify(execFile)` is the same function in another form.
                if found.segs.last().is_some_and(|last| last.name == "promisify")
                    && let Some(inner) = node.child_by_field_name("arguments").and_then(|list| list.named_child(0))
                {
                    return chain(walk, inner);
                }
                // `send.bind(client)` is the same function. The result of a promise, and of a method of an emitter, is the same value.
                if let [before @ .., last] = found.segs.as_slice()
                    && (last.name == "bind" || returns_object(before, &last.name))
                    && !before.is_empty()
                {
                    return Some(Chain { segs: before.to_vec() });
                }
                // The injector gives an object of the class: `inject(HttpClient)`.
                if found.segs.len() == 1
                    && found.root() == "inject"
                    && let Some(class) = node.child_by_field_name("arguments").and_then(|list| list.named_child(0))
                    && class.kind() == "identifier"
                    && walk.text(class).starts_with(char::is_uppercase)
                {
                    return chain(walk, class);
                }
                Some(found.called())
            }
        },
        "new_expression" => chain(walk, node.child_by_field_name("constructor")?).map(Chain::called),
        "await_expression"
        | "parenthesized_expression"
        | "non_null_expression"
        | "as_expression"
        | "satisfies_expression" => chain(walk, node.named_child(0)?),
        "binary_expression" => {
            let left = node.child_by_field_name("left").and_then(|left| chain(walk, left));
            let right = node.child_by_field_name("right").and_then(|right| chain(walk, right));
            right.filter(|chain| chain.segs.iter().any(|seg| seg.called)).or(left)
        }
        "ternary_expression" => chain(walk, node.child_by_field_name("consequence")?),
        "string" | "template_string" | "array" | "number" | "regex" => Some(Chain::name(NAMELESS)),
        _ => None,
    }
}
