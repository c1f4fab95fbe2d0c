//! Compiles the grammars without their parse tables, and writes the tables compressed.
//!
//! A parse table is two thirds of a grammar and compresses to a twentieth. The tables are read from the linked packages of the
//! grammars, which are build dependencies. The C sources of the same packages are compiled again, with empty tables that
//! `src/lib.rs` fills when a language is used for the first time.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a build script talks to cargo, and reports errors by failing"
)]

mod sources;
mod tables;

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use tree_sitter_language::LanguageFn;

/// A grammar, and the queries of its package that diffsan uses.
struct Grammar {
    /// Name of the generated module and of the C function `tree_sitter_NAME`.
    name: &'static str,
    package: &'static str,
    /// Folder of `parser.c` in the package.
    folder: &'static str,
    language: LanguageFn,
    /// Name of a constant, and its text.
    queries: &'static [(&'static str, &'static str)],
}

macro_rules! grammar {
    ($name:literal, $package:literal, $folder:literal, $module:ident :: $language:ident, $($query:ident),*) => {
        Grammar {
            name: $name,
            package: $package,
            folder: $folder,
            language: $module::$language,
            queries: &[$((stringify!($query), $module::$query)),*],
        }
    };
}

#[rustfmt::skip]
const GRAMMARS: [Grammar; 15] = [
    grammar!("bash", "tree-sitter-bash", "src", tree_sitter_bash::LANGUAGE,),
    grammar!("c", "tree-sitter-c", "src", tree_sitter_c::LANGUAGE, HIGHLIGHT_QUERY),
    grammar!("c_sharp", "tree-sitter-c-sharp", "src", tree_sitter_c_sharp::LANGUAGE, HIGHLIGHTS_QUERY),
    grammar!("cpp", "tree-sitter-cpp", "src", tree_sitter_cpp::LANGUAGE, HIGHLIGHT_QUERY),
    grammar!("go", "tree-sitter-go", "src", tree_sitter_go::LANGUAGE, HIGHLIGHTS_QUERY),
    grammar!("java", "tree-sitter-java", "src", tree_sitter_java::LANGUAGE, HIGHLIGHTS_QUERY),
    grammar!("javascript", "tree-sitter-javascript", "src", tree_sitter_javascript::LANGUAGE, HIGHLIGHT_QUERY, JSX_HIGHLIGHT_QUERY),
    grammar!("kotlin", "tree-sitter-kotlin-ng", "src", tree_sitter_kotlin_ng::LANGUAGE,),
    grammar!("php", "tree-sitter-php", "php/src", tree_sitter_php::LANGUAGE_PHP, HIGHLIGHTS_QUERY),
    grammar!("python", "tree-sitter-python", "src", tree_sitter_python::LANGUAGE, HIGHLIGHTS_QUERY),
    grammar!("ruby", "tree-sitter-ruby", "src", tree_sitter_ruby::LANGUAGE, HIGHLIGHTS_QUERY),
    grammar!("rust", "tree-sitter-rust", "src", tree_sitter_rust::LANGUAGE, HIGHLIGHTS_QUERY),
    grammar!("swift", "tree-sitter-swift", "src", tree_sitter_swift::LANGUAGE, HIGHLIGHTS_QUERY),
    grammar!("tsx", "tree-sitter-typescript", "tsx/src", tree_sitter_typescript::LANGUAGE_TSX,),
    grammar!("typescript", "tree-sitter-typescript", "typescript/src", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, HIGHLIGHTS_QUERY),
];

fn main() {
    println!("cargo:rerun-if-changed=build");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let packages = sources::packages();
    let mut modules = String::new();
    for grammar in &GRAMMARS {
        let package =
            packages.get(grammar.package).unwrap_or_else(|| panic!("{} is not a dependency", grammar.package));
        build(grammar, package, &out, &mut modules);
    }
    fs::write(out.join("modules.rs"), modules).expect("the output folder is writable");
}

/// Compiles a grammar, writes its tables, and appends its module.
fn build(grammar: &Grammar, package: &Path, out: &Path, modules: &mut String) {
    let name = grammar.name;
    let folder = package.join(grammar.folder);
    let tables = tables::of(grammar.language);
    let parser = fs::read_to_string(folder.join("parser.c")).expect("the package has the source of its parser");
    tables.check_source(&parser);
    let stripped = out.join(format!("{name}.c"));
    fs::write(&stripped, sources::without_tables(&parser, name, &tables)).expect("the output folder is writable");
    let packed = out.join(format!("{name}.tables"));
    fs::write(packed, tables.packed()).expect("the output folder is writable");

    let mut compiler = cc::Build::new();
    compiler.std("c11").include(&folder).file(&stripped).warnings(false);
    if compiler.get_compiler().is_like_msvc() {
        compiler.flag("-utf-8");
    } else {
        // Assertions contain names of files. Without these flags a program would differ by the folder of its build.
        compiler.flag_if_supported(format!("-ffile-prefix-map={}={}", package.display(), grammar.package));
        compiler.flag_if_supported(format!("-ffile-prefix-map={}=.", out.display()));
    }
    let scanner = folder.join("scanner.c");
    if scanner.exists() {
        compiler.file(scanner);
    }
    compiler.compile(&format!("diffsan-grammar-{name}"));

    let (large, small) = (tables.large.len(), tables.small.len());
    let mut queries = String::new();
    for (query, text) in grammar.queries {
        let file = out.join(format!("{name}.{query}"));
        fs::write(file, text).expect("the output folder is writable");
        let _ = write!(queries, " {query} = {:?};", format!("/{name}.{query}"));
    }
    let _ = writeln!(
        modules,
        "grammar!({name}, tree_sitter_{name}, {name}_parse_table: {large}, {name}_small_parse_table: {small}, \
         {:?},{queries});",
        format!("/{name}.tables")
    );
}
