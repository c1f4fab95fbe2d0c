//! The grammars of tree-sitter, one module for each, with the queries of its package.
//!
//! The build script compiles the grammars without their parse tables, which are most of their size. Each table is expanded
//! into its place in memory when its language is used for the first time. Knows nothing of files or of diffsan.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

/// Fills two tables from their compressed bytes.
fn expand(packed: &[u8], tables: [&mut [u8]; 2]) -> std::io::Result<()> {
    let mut decoder = ZlibDecoder::new(packed);
    tables.into_iter().try_for_each(|table| decoder.read_exact(table))
}

/// A module with a grammar: `language` and the queries as constants.
macro_rules! grammar {
    ($name:ident, $function:ident, $large:ident: $large_length:literal, $small:ident: $small_length:literal,
     $packed:literal, $($query:ident = $file:literal;)*) => {
        #[allow(missing_docs, reason = "the name is the documentation")]
        pub mod $name {
            use std::sync::Once;

            unsafe extern "C" {
                fn $function() -> *const ();
                static mut $large: [u16; $large_length];
                static mut $small: [u16; $small_length];
            }

            $(pub const $query: &str = include_str!(concat!(env!("OUT_DIR"), $file));)*

            /// The same function with the type that the library expects. It is called after the tables are filled.
            extern "C" fn expanded() -> *const () {
                static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), $packed));
                static ONCE: Once = Once::new();
                ONCE.call_once(|| {
                    // SAFETY: the tables are ordinary numbers, and nothing reads them before the language is returned.
                    let tables = unsafe {
                        [
                            std::slice::from_raw_parts_mut((&raw mut $large).cast::<u8>(), $large_length * 2),
                            std::slice::from_raw_parts_mut((&raw mut $small).cast::<u8>(), $small_length * 2),
                        ]
                    };
                    // The build script wrote the bytes with these lengths.
                    assert!(super::expand(PACKED, tables).is_ok(), "the tables of a grammar are complete");
                });
                // SAFETY: the function only returns the address of a static.
                unsafe { $function() }
            }

            /// Returns the language. The first call expands its tables, which takes some milliseconds.
            pub fn language() -> tree_sitter::Language {
                // SAFETY: the function returns a language that the generator of tree-sitter made.
                unsafe { tree_sitter_language::LanguageFn::from_raw(expanded) }.into()
            }
        }
    };
}

/// The modules that the build script lists.
#[allow(unsafe_code, reason = "the grammars are C")]
mod modules {
    use super::expand;

    include!(concat!(env!("OUT_DIR"), "/modules.rs"));
}

pub use modules::*;
