//! A Tauri window with next to nothing in it: what the start of diffsan is compared with.

use tauri::{WebviewUrl, WebviewWindowBuilder};

const PAGE: &str =
    "<!doctype html><p>empty<script>requestAnimationFrame(() => performance.mark('first-diff'))</script>";

fn main() -> tauri::Result<()> {
    tauri::Builder::default()
        .register_uri_scheme_protocol("empty", |_, _| {
            let page = tauri::http::Response::builder().header("content-type", "text/html").body(PAGE.as_bytes());
            page.unwrap_or_default()
        })
        .setup(|app| {
            let url = tauri::Url::parse("empty://localhost/")?;
            WebviewWindowBuilder::new(app, "main", WebviewUrl::CustomProtocol(url)).title("empty").build()?;
            Ok(())
        })
        .run(tauri::generate_context!())
}
