//! The queries of the languages, compiled once, with the meaning of their captures.

use std::sync::OnceLock;

use tree_sitter::Query;

use super::{Kind, Use};
use crate::language::Language;

/// The meaning of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// The whole of a definition.
    Definition(Kind),
    /// A definition by a call, such as `attr_reader :name`.
    Attribute,
    Name,
    /// The start of the body. The signature is before it.
    Body,
    Result,
    /// The type that the definition is a member of.
    Owner,
    /// The object of an assigned member; it must be the own object.
    OwnObject,
    /// A scope of local names. `true` if it is a function.
    Scope(bool),
    Local,
    LocalType,
    /// A local name is visible after this node.
    Until,
    /// Names that belong to an outer scope.
    Global,
    Import,
    /// The function of an import that is a call.
    Require,
    /// The function of a definition that is a call.
    Accessor,
    /// The method that makes an object.
    New,
    /// The name behind `default` of a script.
    Default,
    /// A name that a script exports in a list.
    Exported,
    Package,
    Reference(Use),
    /// A reference to a member whose object is not named.
    Member,
    /// A reference that can only be a variable.
    Variable,
    Receiver,
    /// A name that is not a reference.
    Ignore,
    Other,
}

pub(super) struct Compiled {
    pub query: Query,
    /// By index of the capture.
    pub tags: Vec<Tag>,
}

/// Returns the query of a language, or `None` if it does not fit its grammar.
pub(super) fn of(language: Language) -> Option<&'static Compiled> {
    static ALL: OnceLock<Vec<OnceLock<Option<Compiled>>>> = OnceLock::new();
    let all = ALL.get_or_init(|| Language::ALL.iter().map(|_| OnceLock::new()).collect());
    let at = Language::ALL.iter().position(|one| *one == language)?;
    all.get(at)?.get_or_init(|| compile(language).ok()).as_ref()
}

pub(super) fn compile(language: Language) -> Result<Compiled, String> {
    let query = Query::new(&language.grammar(), &source(language)).map_err(|error| format!("{language:?}: {error}"))?;
    let tags = query.capture_names().iter().map(|name| tag(name)).collect();
    Ok(Compiled { query, tags })
}

fn source(language: Language) -> String {
    let script = include_str!("../../queries/script.scm");
    let typed = include_str!("../../queries/typescript.scm");
    let c = include_str!("../../queries/c.scm");
    match language {
        Language::Python => include_str!("../../queries/python.scm").to_owned(),
        Language::JavaScript => format!("{script}\n{}", include_str!("../../queries/javascript.scm")),
        Language::TypeScript => format!("{script}\n{typed}"),
        Language::Tsx => format!("{script}\n{typed}\n{}", include_str!("../../queries/jsx.scm")),
        Language::Go => include_str!("../../queries/go.scm").to_owned(),
        Language::Rust => include_str!("../../queries/rust.scm").to_owned(),
        Language::Java => include_str!("../../queries/java.scm").to_owned(),
        Language::Ruby => include_str!("../../queries/ruby.scm").to_owned(),
        Language::Php => include_str!("../../queries/php.scm").to_owned(),
        Language::C => c.to_owned(),
        Language::Cpp => format!("{c}\n{}", include_str!("../../queries/cpp.scm")),
        Language::CSharp => include_str!("../../queries/c-sharp.scm").to_owned(),
        Language::Kotlin => include_str!("../../queries/kotlin.scm").to_owned(),
        Language::Swift => include_str!("../../queries/swift.scm").to_owned(),
    }
}

fn tag(name: &str) -> Tag {
    match name {
        "name" => Tag::Name,
        "body" => Tag::Body,
        "result" => Tag::Result,
        "owner" => Tag::Owner,
        "self" => Tag::OwnObject,
        "scope.function" => Tag::Scope(true),
        "scope.block" => Tag::Scope(false),
        "local" => Tag::Local,
        "local.type" => Tag::LocalType,
        "local.until" => Tag::Until,
        "global" => Tag::Global,
        "import" => Tag::Import,
        "require" => Tag::Require,
        "accessor" => Tag::Accessor,
        "new" => Tag::New,
        "default.value" => Tag::Default,
        "exported" => Tag::Exported,
        "package" => Tag::Package,
        "receiver" => Tag::Receiver,
        "ignore" => Tag::Ignore,
        "reference.call" => Tag::Reference(Use::Call),
        "reference.macro" => Tag::Reference(Use::Macro),
        "reference.type" => Tag::Reference(Use::Type),
        "reference.read" => Tag::Reference(Use::Read),
        "reference.write" => Tag::Reference(Use::Write),
        "reference.update" => Tag::Reference(Use::Update),
        "reference.member" => Tag::Member,
        "reference.variable" => Tag::Variable,
        "definition.attribute" => Tag::Attribute,
        "definition.function" => Tag::Definition(Kind::Function),
        "definition.method" => Tag::Definition(Kind::Method),
        "definition.constructor" => Tag::Definition(Kind::Constructor),
        "definition.class" => Tag::Definition(Kind::Class),
        "definition.interface" => Tag::Definition(Kind::Interface),
        "definition.type" => Tag::Definition(Kind::Type),
        "definition.module" => Tag::Definition(Kind::Module),
        "definition.macro" => Tag::Definition(Kind::Macro),
        "definition.constant" => Tag::Definition(Kind::Constant),
        "definition.variable" => Tag::Definition(Kind::Variable),
        "definition.field" => Tag::Definition(Kind::Field),
        "definition.variant" => Tag::Definition(Kind::Variant),
        "definition.extension" => Tag::Definition(Kind::Extension),
        _ => Tag::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar() {
        for language in Language::ALL {
            if let Err(error) = compile(language) {
                panic!("{error}");
            }
        }
    }
}
