//! The effects and open uses that a definition reaches. A definition is reached from many places, so chains share their ends.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::programs::Given;
use super::reach::{Hop, Open, Reach};

/// A chain of places: the first, and the chain that follows it.
#[derive(Clone)]
pub(crate) struct Link {
    hop: Rc<Hop>,
    rest: Option<Rc<Self>>,
    length: usize,
}

impl Link {
    /// Creates a chain of one place.
    pub(crate) fn new(hop: Rc<Hop>) -> Self {
        Self { hop, rest: None, length: 1 }
    }

    fn before(hop: &Rc<Hop>, rest: &Rc<Self>) -> Self {
        Self { hop: Rc::clone(hop), rest: Some(Rc::clone(rest)), length: rest.length + 1 }
    }

    /// Returns the number of places.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Returns the line of the first place.
    pub(crate) fn line(&self) -> u32 {
        self.hop.line
    }

    /// Returns the symbol of the first place.
    pub(crate) fn symbol(&self) -> &str {
        &self.hop.symbol
    }

    fn hops(&self) -> Vec<Hop> {
        let links = std::iter::successors(Some(self), |link| link.rest.as_deref());
        links.map(|link| Hop::clone(&link.hop)).collect()
    }
}

/// An effect, and the chain that leads to it.
#[derive(Clone)]
pub(crate) struct FoundEffect {
    pub(crate) effect: usize,
    pub(crate) sink: Rc<str>,
    pub(crate) likely: bool,
    /// Whether a program has the effect that the code starts.
    pub(crate) of_program: bool,
    pub(crate) chain: Rc<Link>,
}

impl FoundEffect {
    /// Returns the effect as a use in the definition `unit` reaches it.
    pub(crate) fn reach(&self, unit: &str) -> Reach {
        let Self { effect, sink, likely, of_program, chain } = self;
        Reach {
            effect: *effect,
            sink: sink.to_string(),
            unit: unit.to_owned(),
            chain: chain.hops(),
            likely: *likely,
            of_program: *of_program,
        }
    }

    /// Returns the effect as it is reached through an earlier place.
    pub(crate) fn through(&self, hop: &Rc<Hop>) -> Self {
        Self { chain: Rc::new(Link::before(hop, &self.chain)), ..self.clone() }
    }
}

/// A use that could not be followed, and the chain that leads to it. The chain in `about` is empty.
#[derive(Clone)]
pub(crate) struct FoundOpen {
    pub(crate) about: Rc<Open>,
    chain: Rc<Link>,
}

impl FoundOpen {
    /// Returns the path of the second place, which the first calls.
    pub(crate) fn next_path(&self) -> Option<&str> {
        self.chain.rest.as_ref().map(|rest| rest.hop.path.as_str())
    }

    /// Returns the use with its chain.
    pub(crate) fn open(&self) -> Open {
        Open { chain: self.chain.hops(), ..Open::clone(&self.about) }
    }

    /// Returns the use as it is reached through an earlier place.
    pub(crate) fn through(&self, hop: &Rc<Hop>) -> Self {
        Self { about: Rc::clone(&self.about), chain: Rc::new(Link::before(hop, &self.chain)) }
    }

    /// Returns a key that equals for uses of the same symbol with the same gap.
    pub(crate) fn key(&self) -> OpenKey {
        OpenKey(Rc::clone(&self.about))
    }
}

/// An open use by its symbol, its gap and the command that callers give to it.
pub(crate) struct OpenKey(Rc<Open>);

impl OpenKey {
    fn parts(&self) -> (&str, Option<&str>, Option<&Given>) {
        (&self.0.symbol, self.0.gap.as_deref(), self.0.given.as_deref())
    }
}

impl PartialEq for OpenKey {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.parts() == other.parts()
    }
}

impl Eq for OpenKey {}

impl Hash for OpenKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.0.symbol, &self.0.gap).hash(state);
    }
}

/// The effects and open uses below a use or a definition.
#[derive(Clone, Default)]
pub(crate) struct Below {
    pub(crate) effects: Vec<FoundEffect>,
    pub(crate) open: Vec<FoundOpen>,
    /// The number of changes of file below.
    height: usize,
    /// Whether something below was left out, because of the depth or because it is being followed already.
    is_cut: bool,
}

impl Below {
    /// Creates the result of a definition that is left out.
    pub(crate) fn cut() -> Self {
        Self { is_cut: true, ..Self::default() }
    }

    /// Records that something below is left out.
    pub(crate) fn set_cut(&mut self) {
        self.is_cut = true;
    }

    /// Records the extent of a part of this, which is `files` changes of file away.
    pub(crate) fn include(&mut self, part: &Self, files: usize) {
        self.height = self.height.max(part.height + files);
        self.is_cut |= part.is_cut;
    }

    /// Returns whether the result is the same for every depth of at least [`Self::height`].
    pub(crate) fn is_whole(&self) -> bool {
        !self.is_cut
    }

    /// Returns the number of changes of file below.
    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// Adds an effect at a place.
    pub(crate) fn add(&mut self, effect: usize, sink: &str, likely: bool, hop: Rc<Hop>) {
        self.effects.push(FoundEffect {
            effect,
            sink: Rc::from(sink),
            likely,
            of_program: false,
            chain: Rc::new(Link::new(hop)),
        });
    }

    /// Adds a use at a place that could not be followed.
    pub(crate) fn add_open(&mut self, about: Open, hop: Rc<Hop>) {
        self.open.push(FoundOpen { about: Rc::new(about), chain: Rc::new(Link::new(hop)) });
    }
}

/// A list of open uses without repetitions, up to a number of them.
pub(crate) struct OpenUses {
    seen: HashSet<(OpenKey, usize)>,
    /// The modules that are in the list, if it needs only one use of each.
    modules: Option<HashSet<String>>,
    most: usize,
    /// The content of the uses for which the list had no room.
    dropped: Option<DefaultHasher>,
}

impl OpenUses {
    /// Creates an empty list.
    pub(crate) fn new(most: usize, only_modules: bool) -> Self {
        Self { seen: HashSet::new(), modules: only_modules.then(HashSet::new), most, dropped: None }
    }

    /// Returns whether the use is a new one of a definition and the list has room for it.
    pub(crate) fn admits(&mut self, open: &FoundOpen, unit: usize) -> bool {
        match (&mut self.modules, &open.about.module) {
            (Some(modules), Some(module)) => !modules.contains(module) && modules.insert(module.clone()),
            (Some(_), None) => false,
            (None, _) if self.seen.len() < self.most => self.seen.insert((open.key(), unit)),
            (None, _) => {
                let key = (open.key(), unit);
                if !self.seen.contains(&key) {
                    key.0.hash(self.dropped.get_or_insert_default());
                }
                false
            }
        }
    }

    /// Returns an open use that stands for those for which the list had no room. It is named by them, so that the same ones on both sides of
    /// a change are found.
    pub(crate) fn rest(&self) -> Option<Open> {
        let dropped = self.dropped.as_ref()?;
        let gap = Some(format!("more than {} calls could not be followed", self.most));
        Some(Open { gap, ..Open::new(&[format!("unread {}", dropped.finish())], None) })
    }
}
