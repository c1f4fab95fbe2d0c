//! Creates `ui/dist` if the interface has not been built. The interface is embedded from this folder, and an empty one
//! keeps the command building; `serve` then reports that the interface is missing.

fn main() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/dist");
    if !folder.exists() {
        // The macro that embeds the folder reports that it is missing.
        let _ = std::fs::create_dir_all(&folder);
    }
    println!("cargo:rerun-if-changed=../../ui/dist");
}
