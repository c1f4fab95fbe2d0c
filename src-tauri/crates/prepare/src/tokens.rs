//! Counts tokens with a common tokenizer (o200k), which is loaded at first use. The count of an agent differs a little.

use std::io::Read as _;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR, Rank};

/// The tokens as the build script wrote them.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.tokens"));
const RANKS: usize = 199_998;

static TOKENIZER: LazyLock<CoreBPE> = LazyLock::new(|| {
    let mut bytes = Vec::new();
    let tokenizer = flate2::read::ZlibDecoder::new(PACKED)
        .read_to_end(&mut bytes)
        .ok()
        .and_then(|_| CoreBPE::new(ranks(&bytes), FxHashMap::default(), O200K_BASE_PAT_STR).ok());
    #[allow(clippy::expect_used, reason = "the build script wrote the tokens; a test reads them")]
    tokenizer.expect("the tokens are complete")
});

/// Returns the rank of each token: their lengths come first, one byte each, then all bytes.
fn ranks(bytes: &[u8]) -> FxHashMap<Vec<u8>, Rank> {
    let (lengths, mut rest) = bytes.split_at(RANKS);
    let token = |length: &u8| {
        let (token, after) = rest.split_at(usize::from(*length));
        rest = after;
        token.to_vec()
    };
    lengths.iter().map(token).zip(0..).collect()
}

/// Returns the number of tokens of a text.
pub fn count(text: &str) -> u64 {
    TOKENIZER.encode_ordinary(text).len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_the_package() {
        let original = tiktoken_rs::o200k_base_singleton();
        let texts = [
            "fn main() { println!(\"{}\", 12_345); }\n\t\t}\r\n\r\n",
            "Über die Änderung: 変更を確認する 🦀🦀 <|endoftext|> naïve  cafés'll   ",
            include_str!("tokens.rs"),
        ];
        for text in texts {
            assert_eq!(TOKENIZER.encode_ordinary(text), original.encode_ordinary(text));
        }
        let last = Rank::try_from(RANKS).unwrap_or(Rank::MAX);
        for rank in 0..last {
            assert_eq!(TOKENIZER.decode_bytes(&[rank]).ok(), original.decode_bytes(&[rank]).ok());
        }
        assert!(TOKENIZER.decode_bytes(&[last]).is_err());
    }
}
