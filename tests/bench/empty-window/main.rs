//! A Tauri window with next to nothing in it: what the start of diffsan is compared with.

fn main() -> tauri::Result<()> {
    tauri::Builder::default().run(tauri::generate_context!())
}
