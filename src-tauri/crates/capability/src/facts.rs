//! What a file's code says, the same for every language: what it imports, defines, binds to names, hands on and uses.
//!
//! Made by `read`, from the syntax alone; what names mean is found out by `follow`.

/// A link of a chain: a name, and whether it is called (or made with `new`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seg {
    /// The name.
    pub name: String,
    /// Whether it is called.
    pub called: bool,
}

/// `client.emails.send(…)`: names from the left. The first may be one of the words below, or a module named on the spot.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Chain {
    /// Never empty once it is made.
    pub segs: Vec<Seg>,
}

/// The object that a method belongs to.
pub const THIS: &str = "this";
/// Its parent.
pub const SUPER: &str = "super";
/// Something that has no name: a literal, an index, an operator's result.
pub const NAMELESS: &str = "";
/// Before a module that is named on the spot: `require("x")`.
pub const MODULE: char = '#';

impl Chain {
    /// A single name.
    pub fn name(name: impl Into<String>) -> Self {
        Self { segs: vec![Seg { name: name.into(), called: false }] }
    }

    /// Something without a name.
    pub fn nameless() -> Self {
        Self::name(NAMELESS)
    }

    /// A module named on the spot.
    pub fn module(name: &str) -> Self {
        Self::name(format!("{MODULE}{name}"))
    }

    /// A path of names.
    pub fn path<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { segs: names.into_iter().map(|name| Seg { name: name.to_owned(), called: false }).collect() }
    }

    /// With a member behind.
    #[must_use]
    pub fn then(mut self, name: impl Into<String>) -> Self {
        self.segs.push(Seg { name: name.into(), called: false });
        self
    }

    /// With its last link called.
    #[must_use]
    pub fn called(mut self) -> Self {
        if let Some(last) = self.segs.last_mut() {
            last.called = true;
        }
        self
    }

    /// The first name.
    pub fn root(&self) -> &str {
        self.segs.first().map_or(NAMELESS, |seg| &seg.name)
    }

    /// As it is written.
    pub fn text(&self) -> String {
        let names: Vec<&str> = self.segs.iter().map(|seg| seg.name.trim_start_matches(MODULE)).collect();
        names.iter().filter(|name| !name.is_empty()).copied().collect::<Vec<_>>().join(".")
    }
}

/// How something is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseKind {
    /// It is called.
    Call,
    /// It is read.
    Read,
    /// It is handed on to something that may call it.
    Hand,
}

/// A call or a reading of a member.
#[derive(Clone, Debug)]
pub struct Use {
    /// What is used.
    pub chain: Chain,
    /// How.
    pub kind: UseKind,
    /// Its line, from 1.
    pub line: u32,
    /// The unit that it stands in.
    pub unit: usize,
    /// Arguments that are written out: their text, empty for others; `name=text` for named ones.
    pub args: Vec<String>,
}

/// A name that stands for something: a variable, a parameter, a field.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The name.
    pub name: String,
    /// The unit that it is known in.
    pub unit: usize,
    /// The class whose field it is.
    pub class: Option<String>,
    /// What it stands for; none where that cannot be told.
    pub source: Option<Chain>,
    /// Its line.
    pub line: u32,
}

/// What a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    /// The whole file.
    File,
    /// A function or method.
    Function,
    /// A class, struct, trait, module or object with members.
    Class,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its name; empty for the file.
    pub name: String,
    /// The class that it belongs to.
    pub class: Option<String>,
    /// What it is.
    pub kind: UnitKind,
    /// Its first line.
    pub line: u32,
    /// Its last line.
    pub end: u32,
    /// The unit around it.
    pub parent: usize,
    /// What a class inherits from or mixes in.
    pub bases: Vec<Chain>,
    /// What a function gives back, or is said to.
    pub returns: Vec<Chain>,
}

/// A name that comes from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// What it is called here; `*` where all names come.
    pub local: String,
    /// The module, as it is written.
    pub module: String,
    /// The name in the module; none for the module itself.
    pub name: Option<String>,
    /// Its line.
    pub line: u32,
}

/// A name that is handed on to others under another one, or from another module.
#[derive(Clone, Debug)]
pub struct Export {
    /// What others call it; `*` where all names are handed on.
    pub name: String,
    /// The module that it comes from, if it does.
    pub module: Option<String>,
    /// What it is, in that module or here.
    pub source: Option<Chain>,
    /// Its line.
    pub line: u32,
}

/// What a file's code says.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The package or namespace that it belongs to, where the language has such.
    pub package: String,
    /// What it imports.
    pub imports: Vec<Import>,
    /// What it hands on.
    pub exports: Vec<Export>,
    /// What it defines; the first is the file itself.
    pub units: Vec<Unit>,
    /// Its variables, parameters and fields.
    pub bindings: Vec<Binding>,
    /// What it uses.
    pub uses: Vec<Use>,
    /// Whether parts were nested too deeply to be read.
    pub partial: bool,
    /// Its text.
    pub text: String,
    /// Where its lines begin, in bytes.
    pub starts: Vec<usize>,
}

impl Facts {
    /// A line's text, without what surrounds it; long ones are cut.
    pub fn line(&self, number: u32) -> String {
        let at = number.saturating_sub(1) as usize;
        let start = self.starts.get(at).copied().unwrap_or(self.text.len());
        let end = self.starts.get(at + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or_default().trim();
        if line.chars().count() > 200 { line.chars().take(199).chain(['…']).collect() } else { line.to_owned() }
    }

    /// The names of a unit from the outside in: `Mailer.send`.
    pub fn unit_name(&self, unit: usize) -> String {
        match self.units.get(unit) {
            Some(Unit { name, class: Some(class), .. }) => format!("{class}.{name}"),
            Some(unit) => unit.name.clone(),
            None => String::new(),
        }
    }
}
