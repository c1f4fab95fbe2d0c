//! A labelled corpus for redaction: secrets of every class in every notation, and texts that only look like secrets. It is
//! generated from fixed seeds, so that it contains no real secret and no example of a rule.

mod credentials;
mod keys;
mod negatives;
mod notations;
mod tokens;

pub use credentials::base64;
pub use negatives::negatives;

use crate::history::Dice;

/// A text, and the parts of it that must be masked.
#[derive(Clone, Debug)]
pub struct Case {
    /// The class of the secret, or of the harmless text.
    pub class: String,
    /// The notation of the value.
    pub notation: String,
    /// The path of the file.
    pub path: String,
    /// Whether the text is a diff.
    pub diff: bool,
    /// The text.
    pub text: String,
    /// The secrets in the text. Empty in a hard negative.
    pub secrets: Vec<String>,
}

/// A group of cases that is measured separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Secrets with a form that a rule describes.
    Ruled,
    /// Weak values after a revealing key, and files with credentials.
    Weak,
}

/// Returns the cases of a group that contain secrets.
pub fn positives(group: Group) -> Vec<Case> {
    match group {
        Group::Ruled => tokens::cases().into_iter().chain(keys::cases()).collect(),
        Group::Weak => notations::weak_cases().into_iter().chain(credentials::cases()).collect(),
    }
}

/// A pseudo-random generator of texts.
pub struct Random(Dice);

impl Random {
    /// Creates a generator from a seed.
    pub fn new(seed: usize) -> Self {
        Self(Dice::new(seed as u64))
    }

    /// Returns a number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.roll(bound)
    }

    /// Returns one of several values.
    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// Returns random characters of an alphabet.
    pub fn chars(&mut self, alphabet: &str, count: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..count).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    /// Returns random hexadecimal digits.
    pub fn hex(&mut self, count: usize) -> String {
        self.chars("0123456789abcdef", count)
    }

    /// Returns random letters of both cases and digits.
    pub fn alnum(&mut self, count: usize) -> String {
        self.chars("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", count)
    }

    /// Returns random Base64 characters, without padding.
    pub fn base64(&mut self, count: usize) -> String {
        self.chars("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", count)
    }

    /// Returns a random UUID.
    pub fn uuid(&mut self) -> String {
        format!("{}-{}-4{}-a{}-{}", self.hex(8), self.hex(4), self.hex(3), self.hex(3), self.hex(12))
    }

    /// Returns a password as people choose it.
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
