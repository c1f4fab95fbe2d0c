//! Reads the parse tables of a linked grammar.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use tree_sitter_language::LanguageFn;

/// The first fields of `TSLanguage` in `tree_sitter/parser.h`. They are the same in versions 13 to 15.
#[repr(C)]
struct Language {
    version: u32,
    symbol_count: u32,
    alias_count: u32,
    token_count: u32,
    external_token_count: u32,
    state_count: u32,
    large_state_count: u32,
    production_id_count: u32,
    field_count: u32,
    max_alias_sequence_length: u16,
    parse_table: *const u16,
    small_parse_table: *const u16,
    small_parse_table_map: *const u32,
}

/// The parse tables of a grammar.
pub struct Tables {
    /// One row of all symbols for each of the first states.
    pub large: &'static [u16],
    /// The other states. A state has a count of groups; a group has a value, a count and the symbols with this value.
    pub small: &'static [u16],
    counts: [(&'static str, u32); 3],
}

/// Returns the tables of a language.
pub fn of(language: LanguageFn) -> Tables {
    // SAFETY: the function returns a static `TSLanguage`.
    #[allow(unsafe_code, reason = "the grammar is C")]
    let language = unsafe { &*language.into_raw()().cast::<Language>() };
    assert!((13..=15).contains(&language.version), "tree-sitter has a new layout of languages");
    let large = (language.large_state_count * language.symbol_count) as usize;
    // SAFETY: the lengths are those of the generated tables.
    #[allow(unsafe_code, reason = "the grammar is C")]
    let (large, small) = unsafe {
        (
            std::slice::from_raw_parts(language.parse_table, large),
            std::slice::from_raw_parts(language.small_parse_table, small_length(language)),
        )
    };
    let counts = [
        ("STATE_COUNT", language.state_count),
        ("LARGE_STATE_COUNT", language.large_state_count),
        ("SYMBOL_COUNT", language.symbol_count),
    ];
    Tables { large, small, counts }
}

/// Returns the number of values in the table of small states, which no field tells.
///
/// # Safety
///
/// The tables must belong to the language.
#[allow(unsafe_code, reason = "the grammar is C")]
unsafe fn small_length(language: &Language) -> usize {
    let small_states = (language.state_count - language.large_state_count) as usize;
    let mut length = 0;
    for state in 0..small_states {
        // SAFETY: the map has an offset for each small state; the counts in the table stay inside it.
        unsafe {
            let mut at = *language.small_parse_table_map.add(state) as usize;
            let groups = *language.small_parse_table.add(at);
            at += 1;
            for _ in 0..groups {
                at += 2 + *language.small_parse_table.add(at + 1) as usize;
            }
            length = length.max(at);
        }
    }
    length
}

impl Tables {
    /// Panics if a source belongs to another version of the grammar.
    pub fn check_source(&self, source: &str) {
        for (name, count) in self.counts {
            assert!(source.contains(&format!("#define {name} {count}\n")), "the source of a parser has another {name}");
        }
    }

    /// Returns both tables, one after the other, compressed with zlib, in the byte order of this machine.
    pub fn packed(&self) -> Vec<u8> {
        let target = std::env::var("CARGO_CFG_TARGET_ENDIAN").expect("cargo sets the byte order");
        assert!(
            target == if cfg!(target_endian = "big") { "big" } else { "little" },
            "the byte order of the target differs"
        );
        let bytes: Vec<u8> = self.large.iter().chain(self.small).flat_map(|value| value.to_ne_bytes()).collect();
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes).expect("writing to memory does not fail");
        encoder.finish().expect("writing to memory does not fail")
    }
}
