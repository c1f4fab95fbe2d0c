//! A labelled corpus for redaction: secrets of every class in every notation, and what looks like one and is none. All of it is
//! generated from fixed seeds, so that no real secret and no example of a rule is in it.

mod credentials;
mod keys;
mod negatives;
mod notations;
mod tokens;

pub use credentials::base64;
pub use negatives::negatives;

use crate::history::Dice;

/// One text, and what of it may not survive.
#[derive(Clone, Debug)]
pub struct Case {
    /// What kind of secret, or of harmless text.
    pub class: String,
    /// How it is written.
    pub notation: String,
    /// The file that it is from.
    pub path: String,
    /// Whether the text is a diff.
    pub diff: bool,
    /// The text.
    pub text: String,
    /// The secrets in it; none in a hard negative.
    pub secrets: Vec<String>,
}

/// What a figure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Secrets that have a form.
    Ruled,
    /// Weak values behind a telling key, and files of credentials.
    Weak,
}

/// Positives of a group.
pub fn positives(group: Group) -> Vec<Case> {
    match group {
        Group::Ruled => tokens::cases().into_iter().chain(keys::cases()).collect(),
        Group::Weak => notations::weak_cases().into_iter().chain(credentials::cases()).collect(),
    }
}

/// Dice that throw texts.
pub struct Random(Dice);

impl Random {
    /// Dice for a seed.
    pub fn new(seed: usize) -> Self {
        Self(Dice::new(seed as u64))
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.roll(bound)
    }

    /// One of some.
    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// Characters of an alphabet.
    pub fn chars(&mut self, alphabet: &str, count: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..count).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    /// Hexadecimal digits.
    pub fn hex(&mut self, count: usize) -> String {
        self.chars("0123456789abcdef", count)
    }

    /// Letters of both cases and digits.
    pub fn alnum(&mut self, count: usize) -> String {
        self.chars("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", count)
    }

    /// Base64 without padding.
    pub fn base64(&mut self, count: usize) -> String {
        self.chars("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", count)
    }

    /// A random UUID.
    pub fn uuid(&mut self) -> String {
        format!("{}-{}-4{}-a{}-{}", self.hex(8), self.hex(4), self.hex(3), self.hex(3), self.hex(12))
    }

    /// A password as people make them.
    pub fn weak_password(&mut self) -> String {
        const WORDS: &[&str] = &[
            "summer", "dragon", "hunter", "monkey", "letmein", "qwertz", "sunshine", "tiger", "coffee", "banana",
            "winter", "rocket", "admin", "batman", "zorro", "pepper", "mustang", "shadow", "ginger", "falcon",
        ];
        let word = self.pick(WORDS);
        let mut text = if self.below(2) == 0 { word.to_owned() } else { word[..1].to_uppercase() + &word[1..] };
        match self.below(5) {
            0 => text += &self.below(100).to_string(),
            1 => text = format!("{text}{}!", 1990 + self.below(40)),
            2 => text = format!("{text}-{}{}", self.pick(WORDS), self.below(10)),
            3 => text = format!("{}{}#{}", text.replace('a', "@"), self.below(1000), self.hex(2)),
            _ => text += self.pick(WORDS),
        }
        text
    }
}
