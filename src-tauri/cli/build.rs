//! Creates `ui/dist` if the interface has not been built. The interface is embedded from this folder, and an empty one
//! keeps the command building; `serve` then reports that the interface is missing.

fn main() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/dist");
    if !folder.exists() {
        // An error here is reported by the macro that embeds the folder.
        let _ = std::fs::create_dir_all(&folder);
    }
    if !folder.join("index.html").exists() && std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!(
            "cargo:warning=ui/dist is empty: `diffsan serve` will have no interface. Build it with npm, or use the source archive of a release."
        );
    }
    println!("cargo:rerun-if-changed=../../ui/dist");
}
