//! Finds the C sources of the grammars, and removes the tables from them.

use std::collections::HashMap;
use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::tables::Tables;

/// Returns the folders of all packages that the build uses, by name.
///
/// A grammar's package does not tell its folder in any other way.
pub fn packages() -> HashMap<String, PathBuf> {
    let variable = |name: &str| env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"));
    let metadata = |more: &[&str]| {
        Command::new(variable("CARGO"))
            .args(["metadata", "--format-version", "1", "--filter-platform", &variable("TARGET")])
            .args(more)
            .current_dir(variable("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo can be started")
    };
    // It wants the packages of the whole workspace. A build of a part of it may not have downloaded them.
    let mut output = metadata(&["--offline"]);
    if !output.status.success() {
        output = metadata(&[]);
    }
    assert!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("cargo lists packages");
    let text = |value: &serde_json::Value| value.as_str().expect("a package has texts").to_owned();
    packages
        .iter()
        .map(|package| {
            let manifest = PathBuf::from(text(&package["manifest_path"]));
            (text(&package["name"]), manifest.parent().expect("a manifest is in a folder").to_path_buf())
        })
        .collect()
}

/// Returns the source of a parser, with its two tables as empty variables `NAME_parse_table` and `NAME_small_parse_table`.
pub fn without_tables(source: &str, name: &str, tables: &Tables) -> String {
    let mut result =
        format!("#define ts_parse_table {name}_parse_table\n#define ts_small_parse_table {name}_small_parse_table\n");
    let (mut large, mut small) = (0, 0);
    let mut inside = false;
    for line in source.lines() {
        if inside {
            inside = line != "};";
            continue;
        }
        if line.starts_with("static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {") {
            result.push_str("uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT];\n");
            (inside, large) = (true, large + 1);
        } else if line.starts_with("static const uint16_t ts_small_parse_table[] = {") {
            result.push_str(&format!("uint16_t ts_small_parse_table[{}];\n", tables.small.len()));
            (inside, small) = (true, small + 1);
        } else {
            result.push_str(line);
            result.push('\n');
        }
    }
    assert!((large, small, inside) == (1, 1, false), "the tables of {name} have another notation");
    result
}
