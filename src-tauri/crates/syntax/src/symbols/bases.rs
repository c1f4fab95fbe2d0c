//! Reads the parents of a type: the classes that it extends, the interfaces that it implements, the traits that it uses.
//!
//! In: the node of its definition. Out: the nodes of the parents.

use tree_sitter::Node;

use super::imports::children;

/// A parent of a type.
#[derive(Clone, Copy, Debug)]
pub struct Base<'t> {
    /// The type, or the expression that makes it.
    pub node: Node<'t>,
    /// It is implemented, not extended.
    pub is_interface: bool,
}

/// The nodes that contain parents, in all languages.
const CLAUSES: &[&str] = &[
    "argument_list",
    "base_class_clause",
    "base_clause",
    "base_list",
    "class_heritage",
    "class_interface_clause",
    "constructor_invocation",
    "delegation_specifier",
    "delegation_specifiers",
    "extends_clause",
    "extends_interfaces",
    "extends_type_clause",
    "implements_clause",
    "inheritance_specifier",
    "super_interfaces",
    "superclass",
    "trait_bounds",
    "type_list",
];

/// The clauses of interfaces and traits that a type implements.
const INTERFACES: &[&str] = &["class_interface_clause", "implements_clause", "super_interfaces", "trait_bounds"];

/// The nodes in a clause that are no parents.
const OTHERS: &[&str] =
    &["access_specifier", "argument_list", "keyword_argument", "type_arguments", "value_arguments", "virtual"];

/// Returns the parents that a definition names, in their order.
pub fn bases(definition: Node<'_>) -> Vec<Base<'_>> {
    // `impl Trait for Type`.
    let of_trait = definition.child_by_field_name("trait").map(|node| Base { node, is_interface: true });
    let mut found: Vec<Base<'_>> = of_trait.into_iter().collect();
    for clause in children(definition).into_iter().filter(|child| CLAUSES.contains(&child.kind())) {
        collect(clause, false, &mut found);
    }
    // A structure or an interface of Go contains the types that it embeds.
    let inner = definition.child_by_field_name("type").unwrap_or(definition);
    let list = if inner.kind() == "struct_type" { inner.named_child(0) } else { Some(inner) };
    for member in list.map(children).unwrap_or_default() {
        let embedded = match member.kind() {
            "field_declaration" if member.child_by_field_name("name").is_none() => member.child_by_field_name("type"),
            "type_elem" if member.named_child_count() == 1 => member.named_child(0),
            _ => None,
        };
        found.extend(embedded.map(|node| Base { node, is_interface: false }));
    }
    // A class of PHP names the traits that it uses in its body.
    let members = definition.child_by_field_name("body").map(children).unwrap_or_default();
    for member in members.into_iter().filter(|member| member.kind() == "use_declaration") {
        let traits = children(member).into_iter().filter(|one| matches!(one.kind(), "name" | "qualified_name"));
        found.extend(traits.map(|node| Base { node, is_interface: false }));
    }
    found
}

fn collect<'t>(clause: Node<'t>, is_interface: bool, found: &mut Vec<Base<'t>>) {
    let is_interface = is_interface || INTERFACES.contains(&clause.kind());
    for node in children(clause).into_iter().filter(|node| !node.is_extra() && !OTHERS.contains(&node.kind())) {
        match node.kind() {
            kind if CLAUSES.contains(&kind) => collect(node, is_interface, found),
            // `Generic[T]` in Python.
            "subscript" => found.extend(node.child_by_field_name("value").map(|node| Base { node, is_interface })),
            _ => found.push(Base { node, is_interface }),
        }
    }
}
