//! Compresses the built interface, `ui/dist`, for the program. Creates the folder if the interface has not been built: an empty one keeps the
//! command building, and `serve` then reports that the interface is missing.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/dist");
    fs::create_dir_all(&folder)?;
    if !folder.join("index.html").exists() && std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!(
            "cargo:warning=ui/dist is empty: `diffsan serve` will have no interface. Build it with npm, or use the source archive of a release."
        );
    }
    println!("cargo:rerun-if-changed=../../ui/dist");
    let packed = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("interface");
    if packed.exists() {
        fs::remove_dir_all(&packed)?;
    }
    compress(&folder, &packed)
}

/// Compresses the files of a folder into another one, under the same names.
fn compress(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            compress(&entry.path(), &target)?;
        } else {
            let mut packed = GzEncoder::new(File::create(target)?, Compression::best());
            io::copy(&mut File::open(entry.path())?, &mut packed)?;
            packed.finish()?;
        }
    }
    Ok(())
}
