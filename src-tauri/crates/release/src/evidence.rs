//! The evidence beside the packages: bills of materials, licences and the section of the changelog.

use std::path::Path;

use serde_json::Value;

use crate::{ReleaseError, text};

const LICENCES: &str = "licences.txt";
const CHANGES: &str = "CHANGELOG.md";

/// The bills of materials, one for each language.
const BILLS: [&str; 2] = ["diffsan-rust.cdx.json", "diffsan-javascript.cdx.json"];

/// The ends of names of packages.
const PACKAGES: [&str; 8] = [".deb", ".rpm", ".AppImage", ".tar.xz", ".dmg", ".app.tar.gz", ".msi", ".exe"];

/// Checks that all evidence is present and is about this version. Returns the number of components of each bill.
pub fn check(folder: &Path, names: &[String], version: &str) -> Result<Vec<(String, usize)>, ReleaseError> {
    let has = |name: &'static str| {
        if names.iter().any(|known| known == name) { Ok(()) } else { Err(ReleaseError::Lacks(name)) }
    };
    BILLS.into_iter().chain([LICENCES, CHANGES]).try_for_each(has)?;
    let packages: Vec<&String> = names.iter().filter(|name| PACKAGES.iter().any(|end| name.ends_with(end))).collect();
    if packages.is_empty() {
        return Err(ReleaseError::Lacks("package"));
    }
    for name in packages {
        // A pre-release has another notation in each kind of package.
        let numbers = version.split('-').next().unwrap_or(version);
        if !name.contains(numbers) {
            return Err(wrong(name, name, version));
        }
    }
    let changes = text(&folder.join(CHANGES))?;
    let heading = changes.lines().next().unwrap_or_default();
    if heading.trim_start_matches("## ").split_whitespace().next() != Some(version) {
        return Err(wrong(CHANGES, heading, version));
    }
    let licences = text(&folder.join(LICENCES))?;
    let known: Vec<&str> = licences.lines().take_while(|line| !line.is_empty()).collect();
    BILLS.into_iter().map(|name| Ok((name.to_owned(), bill(folder, name, version, &known)?))).collect()
}

fn wrong(name: &str, found: &str, expected: &str) -> ReleaseError {
    ReleaseError::Version { name: name.to_owned(), found: found.to_owned(), expected: expected.to_owned() }
}

/// Checks a bill of materials, and that every component has a line `NAME VERSION  LICENCE`. Returns their number.
fn bill(folder: &Path, name: &str, version: &str, licences: &[&str]) -> Result<usize, ReleaseError> {
    let fault = |reason: &str| ReleaseError::Bill { name: name.to_owned(), reason: reason.to_owned() };
    let bill: Value = serde_json::from_str(&text(&folder.join(name))?).map_err(|error| fault(&error.to_string()))?;
    if bill["bomFormat"] != "CycloneDX"
        || !bill["specVersion"].as_str().is_some_and(|version| version.starts_with("1."))
    {
        return Err(fault("the format or its version is another"));
    }
    let about = bill["metadata"]["component"]["version"].as_str().unwrap_or_default();
    if about != version {
        return Err(wrong(name, about, version));
    }
    let components = bill["components"].as_array().filter(|all| !all.is_empty());
    let components = components.ok_or_else(|| fault("it lists nothing"))?;
    for component in components {
        let part = |key: &str| component[key].as_str().ok_or_else(|| fault("a component has no name or version"));
        let group = component["group"].as_str().map(|group| format!("{group}/")).unwrap_or_default();
        let label = format!("{group}{} {}", part("name")?, part("version")?);
        if !licences.iter().any(|line| line.strip_prefix(&label).is_some_and(|rest| rest.starts_with("  "))) {
            return Err(ReleaseError::Licence { component: label, licences: LICENCES });
        }
    }
    Ok(components.len())
}
