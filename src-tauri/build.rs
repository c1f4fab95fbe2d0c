//! Creates `ui/dist` if the interface has not been built. It is embedded from this folder, and an empty one keeps the
//! checks working.

fn main() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/dist");
    if !folder.exists() {
        // An error here is reported by the macro that embeds the folder.
        let _ = std::fs::create_dir_all(&folder);
    }
    // Embed again when the folder changes.
    println!("cargo:rerun-if-changed=../ui/dist");
    tauri_build::build();
}
