//! The interface is embedded from `ui/dist`. Where it has not been built yet, an empty folder keeps the command
//! building; `serve` then says what is missing.

fn main() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/dist");
    if !folder.exists() {
        // The macro that embeds the folder reports that it is missing.
        let _ = std::fs::create_dir_all(&folder);
    }
    println!("cargo:rerun-if-changed=../../ui/dist");
}
