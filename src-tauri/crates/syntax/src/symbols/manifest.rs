//! Reads the name of the module that a manifest declares. Resolution needs it for imports by package name.

use super::FileSymbols;

/// Returns the module name of `go.mod`, `Cargo.toml` or `package.json`, or `None` for another file.
pub fn read_manifest(path: &str, text: &str) -> Option<FileSymbols> {
    let name = match path.rsplit('/').next()? {
        "go.mod" => text.lines().find_map(|line| line.trim().strip_prefix("module "))?.trim().to_owned(),
        "Cargo.toml" => {
            let package = text.split("[package]").nth(1)?;
            let line = package
                .lines()
                .skip(1)
                .take_while(|line| !line.starts_with('['))
                .find(|line| line.trim_start().starts_with("name"))?;
            line.split('"').nth(1)?.replace('-', "_")
        }
        "package.json" => {
            let rest = text.split("\"name\"").nth(1)?;
            rest.split('"').nth(1)?.to_owned()
        }
        _ => return None,
    };
    Some(FileSymbols {
        language: None,
        package: Some(0),
        names: vec![name],
        definitions: Vec::new(),
        references: Vec::new(),
        imports: Vec::new(),
        locals: Vec::new(),
        partial: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_modules_are_read() {
        let name = |path, text| read_manifest(path, text).map(|file| file.names[0].clone());
        assert_eq!(name("a/go.mod", "// x\nmodule example.org/a\n\ngo 1.22\n").as_deref(), Some("example.org/a"));
        assert_eq!(name("Cargo.toml", "[workspace]\n[package]\nname = \"my-crate\"\n").as_deref(), Some("my_crate"));
        assert_eq!(name("Cargo.toml", "[workspace]\nmembers = []\n"), None);
        assert_eq!(name("package.json", "{ \"name\": \"@a/b\" }").as_deref(), Some("@a/b"));
        assert_eq!(name("a.rs", ""), None);
    }
}
