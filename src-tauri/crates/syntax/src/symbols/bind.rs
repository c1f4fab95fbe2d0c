//! Finds the container of every definition and the target of every name inside its file, by the scopes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::read::{Raw, RawDefinition, RawReference, offset};
use super::{Binding, Definition, FileSymbols, Kind, Local, NameId, Position, Receiver, Reference, Use};
use crate::language::Language;

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScopeKind {
    File,
    Function,
    Block,
    /// The members of a type or module.
    Members,
}

struct Scope {
    start: u32,
    end: u32,
    kind: ScopeKind,
    parent: usize,
}

/// The scopes of a file and the names in them.
struct Scopes {
    /// By position, an outer one before its inner ones. The first one is the file.
    all: Vec<Scope>,
    locals: FxHashMap<(usize, NameId), Vec<u32>>,
    /// The local names that are parameters of types.
    types: FxHashSet<u32>,
    definitions: FxHashMap<(usize, NameId), u32>,
    imports: FxHashMap<(usize, NameId), u32>,
    globals: FxHashSet<(usize, NameId)>,
}

pub(super) fn bind(mut raw: Raw<'_>, partial: bool) -> FileSymbols {
    let language = raw.language;
    // Only these languages have definitions without a declaration: an assignment at the top or in a class.
    let by_assignment = language.is_script() || matches!(language, Language::Python | Language::C | Language::Cpp);
    let all = scopes(&raw);
    // A name that an import defines is no variable.
    for import in &raw.imports {
        raw.locals.remove(&import.at.byte);
    }
    let mut assignments = FxHashSet::default();
    let mut at_top: Vec<u32> = raw
        .locals
        .iter()
        .filter(|(at, local)| !local.is_type && !raw.definitions.contains_key(at))
        .map(|(at, _)| *at)
        .collect();
    at_top.sort_unstable();
    for start in at_top.into_iter().filter(|_| by_assignment) {
        let kind = match all[innermost(&all, start)].kind {
            ScopeKind::File => Kind::Variable,
            ScopeKind::Members => Kind::Field,
            ScopeKind::Function | ScopeKind::Block => continue,
        };
        let local = &raw.locals[&start];
        let first = assignments.insert((innermost(&all, start), local.name));
        if first {
            let definition =
                variable(kind, local.name, local.at, &raw.names[local.name as usize], local.value, language);
            raw.definitions.insert(start, definition);
            raw.locals.remove(&start);
        }
    }
    let definitions = definitions(&mut raw);
    let mut scopes = Scopes {
        all,
        locals: FxHashMap::default(),
        types: FxHashSet::default(),
        definitions: FxHashMap::default(),
        imports: FxHashMap::default(),
        globals: FxHashSet::default(),
    };
    for (at, name) in &raw.globals {
        let scope = scopes.innermost(*at);
        scopes.globals.insert((scope, *name));
    }
    for (index, one) in definitions.iter().enumerate().filter(|(_, one)| one.kind != Kind::Extension) {
        let scope = scopes.around(one.start, one.end);
        // Members of another type, such as methods in Go, are not names of the scope.
        if one.owner.is_none() || scopes.all[scope].kind == ScopeKind::Members {
            scopes.definitions.entry((scope, one.name)).or_insert(offset(index));
        }
    }
    for (index, one) in raw.imports.iter().enumerate() {
        let scope = scopes.innermost(one.at.byte);
        scopes.imports.entry((scope, one.local)).or_insert(offset(index));
    }
    let locals = locals(&mut raw, &definitions, &mut scopes);
    let references = references(&mut raw, &definitions, &scopes, &locals);
    FileSymbols {
        language: Some(language),
        package: raw.package,
        names: raw.names,
        definitions,
        references,
        imports: raw.imports,
        locals,
        partial,
    }
}

fn variable(
    kind: Kind,
    name: NameId,
    at: Position,
    text: &str,
    result: Option<NameId>,
    language: Language,
) -> RawDefinition {
    let end = at.byte + offset(text.len());
    RawDefinition {
        name,
        kind,
        at,
        start: at.byte,
        end,
        last_line: at.line,
        body: None,
        owner: None,
        bases: Vec::new(),
        result,
        exported: !(language == Language::Python && text.starts_with('_')),
        assigned: false,
    }
}

fn scopes(raw: &Raw<'_>) -> Vec<Scope> {
    let mut ranges: Vec<(u32, u32, ScopeKind)> = Vec::new();
    for (start, end, function) in &raw.scopes {
        ranges.push((*start, *end, if *function { ScopeKind::Function } else { ScopeKind::Block }));
    }
    for one in raw.definitions.values() {
        match one.kind {
            Kind::Function | Kind::Method | Kind::Constructor => ranges.push((one.start, one.end, ScopeKind::Function)),
            Kind::Class | Kind::Interface | Kind::Module | Kind::Extension => {
                ranges.push((one.start, one.end, ScopeKind::Members));
            }
            _ => {}
        }
    }
    // A function around an equal range comes first, so that the range of a function value is inside its definition.
    ranges.sort_by_key(|(start, end, kind)| (*start, u32::MAX - end, *kind == ScopeKind::Block));
    let mut all = vec![Scope { start: 0, end: u32::MAX, kind: ScopeKind::File, parent: 0 }];
    let mut open = vec![0];
    for (start, end, kind) in ranges {
        while open.len() > 1 && all[open[open.len() - 1]].end <= start {
            open.pop();
        }
        let parent = open[open.len() - 1];
        open.push(all.len());
        all.push(Scope { start, end, kind, parent });
    }
    all
}

fn innermost(all: &[Scope], byte: u32) -> usize {
    let mut at = all.partition_point(|scope| scope.start <= byte).saturating_sub(1);
    while at > 0 && all[at].end <= byte {
        at = all[at].parent;
    }
    at
}

impl Scopes {
    fn innermost(&self, byte: u32) -> usize {
        innermost(&self.all, byte)
    }

    /// Returns the scope in which a definition with this range is a name.
    fn around(&self, start: u32, end: u32) -> usize {
        let mut at = self.innermost(start);
        while at > 0 && (self.all[at].start >= start || self.all[at].end < end) {
            at = self.all[at].parent;
        }
        at
    }

    /// Returns the scope of a local name that is defined at a byte: the nearest that is not a type.
    fn of_local(&self, byte: u32) -> usize {
        self.innermost(byte)
    }
}

/// Returns the definitions by position, with their containers.
fn definitions(raw: &mut Raw<'_>) -> Vec<Definition> {
    let mut all: Vec<RawDefinition> = std::mem::take(&mut raw.definitions).into_values().collect();
    all.sort_by_key(|one| (one.start, u32::MAX - one.end, one.at.byte));
    let mut fields: FxHashSet<(Option<u32>, NameId)> = FxHashSet::default();
    let mut done: Vec<Definition> = Vec::with_capacity(all.len());
    let mut open: Vec<u32> = Vec::new();
    for one in all {
        // One declaration can define several names.
        let outside = |outer: &Definition| outer.end <= one.start || (outer.start, outer.end) == (one.start, one.end);
        while open.last().is_some_and(|at| outside(&done[*at as usize])) {
            open.pop();
        }
        let member_container = open.iter().rev().copied().find(|at| done[*at as usize].kind.has_members());
        let in_function = open
            .last()
            .is_some_and(|at| done[*at as usize].kind.is_callable() && !done[*at as usize].kind.has_members());
        // A parameter can declare a field of its type.
        let member_of_type = one.assigned || one.kind == Kind::Field && in_function;
        let container = if member_of_type { member_container } else { open.last().copied() };
        if member_of_type {
            // The first assignment defines the member; without a type it is no member.
            let declared = |at: u32| done.iter().any(|known| known.container == Some(at) && known.name == one.name);
            let new = member_container.is_some_and(|at| !declared(at)) && fields.insert((member_container, one.name));
            if !new {
                continue;
            }
        }
        let inside = container.map(|at| &done[at as usize]);
        let owner = one.owner.or_else(|| {
            let outer = inside.filter(|outer| outer.kind.has_members() && outer.kind != Kind::Module)?;
            Some(outer.name)
        });
        let kind = match one.kind {
            Kind::Function if owner.is_some() => Kind::Method,
            Kind::Variable | Kind::Constant if owner.is_some() && one.kind == Kind::Variable => Kind::Field,
            kind => kind,
        };
        let local = open.iter().any(|at| {
            let kind = done[*at as usize].kind;
            matches!(kind, Kind::Function | Kind::Method | Kind::Constructor)
        }) && !member_of_type;
        open.push(offset(done.len()));
        done.push(Definition {
            name: one.name,
            kind,
            at: one.at,
            start: one.start,
            end: one.end,
            last_line: one.last_line,
            body: one.body.unwrap_or(one.end),
            container,
            owner,
            bases: one.bases,
            result: one.result,
            exported: one.exported,
            local,
            complete: one.body.is_some(),
        });
        if member_of_type {
            open.pop();
        }
    }
    // Assigned members have no range of their own inside their container, so the order is checked once more.
    debug_assert!(done.is_sorted_by_key(|one| one.start));
    done
}

/// Returns the local variables. A later assignment to a known name is a reference.
fn locals(raw: &mut Raw<'_>, definitions: &[Definition], scopes: &mut Scopes) -> Vec<Local> {
    let names: FxHashSet<u32> = definitions.iter().map(|one| one.at.byte).collect();
    let mut all: Vec<_> = std::mem::take(&mut raw.locals).into_values().collect();
    all.sort_by_key(|one| one.at.byte);
    let shadows = raw.language == Language::Rust;
    let mut done: Vec<Local> = Vec::new();
    for one in all.into_iter().filter(|one| !names.contains(&one.at.byte)) {
        let scope = scopes.of_local(one.at.byte);
        let global = scopes.globals.contains(&(scope, one.name));
        let outer = raw.language == Language::Python && scopes.definitions.contains_key(&(scope, one.name));
        let known = scopes.locals.get(&(scope, one.name)).and_then(|known| known.first().copied());
        if let Some(known) = known.filter(|_| !shadows && !global) {
            // Two values of different types: the type is unknown.
            let known = &mut done[known as usize];
            if known.value != one.value {
                known.value = None;
            }
        }
        if global || outer || known.is_some() && !shadows {
            raw.references.push(RawReference {
                name: one.name,
                kind: Use::Write,
                at: one.at,
                receiver: Receiver::None,
                variable: true,
                priority: 9,
            });
            continue;
        }
        scopes.locals.entry((scope, one.name)).or_default().push(offset(done.len()));
        if one.is_type {
            scopes.types.insert(offset(done.len()));
        }
        let end = scopes.all[scope].end;
        done.push(Local { name: one.name, at: one.at, from: one.until.max(one.at.byte), to: end, value: one.value });
    }
    done
}

fn references(raw: &mut Raw<'_>, definitions: &[Definition], scopes: &Scopes, locals: &[Local]) -> Vec<Reference> {
    let mut skipped: FxHashSet<u32> = std::mem::take(&mut raw.ignored);
    skipped.extend(definitions.iter().map(|one| one.at.byte));
    skipped.extend(locals.iter().map(|one| one.at.byte));
    let mut all = std::mem::take(&mut raw.references);
    all.sort_by_key(|one| (one.at.byte, u8::MAX - one.priority));
    all.dedup_by_key(|one| one.at.byte);
    raw.statements.sort_unstable();
    let in_statement = |byte: u32| {
        let before = raw.statements.partition_point(|(start, _)| *start <= byte);
        before.checked_sub(1).is_some_and(|at| byte < raw.statements[at].1)
    };
    let mut open: Vec<u32> = Vec::new();
    let mut next = 0;
    let mut done = Vec::with_capacity(all.len());
    for one in all.into_iter().filter(|one| !skipped.contains(&one.at.byte)) {
        if !matches!(one.kind, Use::Import) && in_statement(one.at.byte) {
            continue;
        }
        while next < definitions.len() && definitions[next].start <= one.at.byte {
            open.push(offset(next));
            next += 1;
        }
        while open.last().is_some_and(|at| definitions[*at as usize].end <= one.at.byte) {
            open.pop();
        }
        // A definition can end before the one around it, below it on the stack.
        let enclosing = open.iter().rev().copied().find(|at| one.at.byte < definitions[*at as usize].end);
        let binding = if one.receiver == Receiver::None {
            scopes.binding(raw.language, &one, definitions, locals)
        } else {
            Binding::Free
        };
        done.push(Reference { name: one.name, kind: one.kind, at: one.at, receiver: one.receiver, binding, enclosing });
    }
    done
}

impl Scopes {
    fn binding(&self, language: Language, one: &RawReference, definitions: &[Definition], locals: &[Local]) -> Binding {
        let mut at = self.innermost(one.at.byte);
        // The names of a type are visible in its own scope, and inside its functions only where members need no receiver.
        let mut inside_function = false;
        loop {
            let scope = &self.all[at];
            if let Some(found) = self.locals.get(&(at, one.name)).filter(|_| sees_variables(language, one)) {
                let visible = found.iter().rev().find(|index| locals[**index as usize].from <= one.at.byte);
                let first = found.first().filter(|_| language != Language::Rust && language != Language::Go);
                let fits =
                    |index: &&u32| one.kind != Use::Type || !has_type_names(language) || self.types.contains(index);
                if let Some(index) = visible.or(first).filter(fits) {
                    return Binding::Local(*index);
                }
            }
            let members = scope.kind == ScopeKind::Members;
            if !(members && inside_function && !language.has_implicit_receiver()) {
                let found = self.definitions.get(&(at, one.name)).copied();
                if let Some(index) = found.filter(|index| fits(language, one, definitions[*index as usize].kind)) {
                    return Binding::Definition(index);
                }
            }
            if let Some(index) =
                self.imports.get(&(at, one.name)).filter(|_| !(language == Language::Php && one.variable))
            {
                return Binding::Import(*index);
            }
            if at == 0 {
                return Binding::Free;
            }
            inside_function |= scope.kind == ScopeKind::Function;
            at = scope.parent;
        }
    }
}

/// Returns whether a name can be a variable, in languages where functions and variables have separate names.
fn sees_variables(language: Language, one: &RawReference) -> bool {
    match language {
        Language::Php => one.variable,
        Language::Java => one.kind != Use::Call,
        Language::Rust => one.kind != Use::Macro,
        _ => true,
    }
}

/// Returns whether the grammar tells names of types from names of variables.
fn has_type_names(language: Language) -> bool {
    !matches!(language, Language::Python | Language::Ruby | Language::Php | Language::CSharp | Language::Kotlin)
}

fn fits(language: Language, one: &RawReference, kind: Kind) -> bool {
    match language {
        Language::Php => !one.variable && (one.kind != Use::Call || kind.is_callable()),
        Language::Java | Language::CSharp if one.kind == Use::Call => kind.is_callable(),
        Language::Java if one.kind == Use::Type => kind.has_members() || kind == Kind::Type,
        Language::Java => !matches!(kind, Kind::Method | Kind::Constructor),
        Language::Rust => (one.kind == Use::Macro) == (kind == Kind::Macro),
        _ => true,
    }
}
