//! Writes the tokens of the tokenizer o200k compressed: first the length of each, then their bytes, in the order of their ranks.
//!
//! The package of the tokenizer contains them as text, which is four times as large.

#![allow(clippy::expect_used, reason = "a build script reports errors by failing")]

use std::io::Write as _;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let tokenizer = tiktoken_rs::o200k_base().expect("the package contains its tokens");
    let tokens: Vec<Vec<u8>> = (0..).map_while(|rank| tokenizer.decode_bytes(&[rank]).ok()).take(RANKS).collect();
    let lengths = tokens.iter().map(|token| u8::try_from(token.len()).expect("a token is short"));
    let file = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("o200k.tokens");
    let file = std::fs::File::create(file).expect("the output folder is writable");
    let mut encoder = flate2::write::ZlibEncoder::new(file, flate2::Compression::best());
    encoder.write_all(&lengths.collect::<Vec<u8>>()).expect("the output folder is writable");
    encoder.write_all(&tokens.concat()).expect("the output folder is writable");
    encoder.finish().expect("the output folder is writable");
}

/// The number of tokens. Ranks from here on are special tokens.
const RANKS: usize = 199_998;
