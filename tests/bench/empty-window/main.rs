//! An almost empty Tauri window, with which the start of diffsan is compared.

fn main() -> tauri::Result<()> {
    tauri::Builder::default().run(tauri::generate_context!())
}
