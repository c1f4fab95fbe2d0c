//! Manners of a desktop: one window, which goes nowhere; files saved where the reviewer says; a word when long work ended elsewhere.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Builder, Manager, Runtime, WebviewWindow, WebviewWindowBuilder, Wry};
use tauri_plugin_dialog::DialogExt;
use tauri_plugin_notification::NotificationExt;

use crate::Desk;

/// A second start shows what it was started on in the first one's window. Another data folder is another program.
pub fn single(builder: Builder<Wry>) -> Builder<Wry> {
    let plugin = tauri_plugin_single_instance::Builder::new().callback(|app, words, folder| {
        let words: Vec<OsString> = words.into_iter().skip(1).map(OsString::from).collect();
        show(app, &words, Path::new(&folder));
    });
    match std::env::var_os("DIFFSAN_DATA_DIR") {
        None => builder.plugin(plugin.build()),
        Some(data) if cfg!(target_os = "linux") => {
            let mut digest = DefaultHasher::new();
            data.hash(&mut digest);
            builder.plugin(plugin.dbus_id(format!("dev.diffsan.desk.d{:x}", digest.finish())).build())
        }
        Some(_) => builder,
    }
}

/// What macOS opens with the program: links and files.
#[cfg(target_os = "macos")]
pub fn opened(app: &AppHandle, urls: &[tauri::Url]) {
    for url in urls {
        let file = url.to_file_path().map(OsString::from);
        show(app, &[file.unwrap_or_else(|()| url.as_str().into())], Path::new("/"));
    }
}

fn show(app: &AppHandle, words: &[OsString], folder: &Path) {
    if !words.is_empty() {
        app.state::<Desk>().app.launched(words, folder);
    }
    if let Some(window) = app.get_webview_window("main") {
        // The window system may refuse; nothing depends on it.
        let _ = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    }
}

/// The web view shows the program's own page and nothing else: it is not led away, opens no window and loads nothing down.
pub fn confine<'a, R: Runtime, M: Manager<R>>(
    builder: WebviewWindowBuilder<'a, R, M>,
) -> WebviewWindowBuilder<'a, R, M> {
    builder
        .on_navigation(|url| match url.scheme() {
            "tauri" => url.host_str() == Some("localhost"),
            // Windows has no schemes of programs' own.
            "http" | "https" => cfg!(windows) && url.host_str() == Some("tauri.localhost"),
            _ => false,
        })
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false)
}

/// Asks where, and writes the text there: the page never names a path. Gives the path, or none where the reviewer thought better of it.
#[tauri::command]
pub async fn save(app: AppHandle, name: String, text: String) -> Result<Option<String>, String> {
    let (sender, receiver) = std::sync::mpsc::channel();
    app.dialog().file().set_file_name(name).save_file(move |path| drop(sender.send(path)));
    let chosen = tauri::async_runtime::spawn_blocking(move || receiver.recv().ok().flatten()).await;
    let Some(path) = chosen.ok().flatten().and_then(|path| path.into_path().ok()) else { return Ok(None) };
    std::fs::write(&path, text).map_err(|error| format!("{} cannot be written: {error}.", path.display()))?;
    Ok(Some(path.display().to_string()))
}

/// Says that long work ended, where nobody looks at the window. No word of it is the page's own.
#[tauri::command]
pub fn ended(app: AppHandle, window: WebviewWindow, findings: Option<u32>) {
    if window.is_focused().unwrap_or(true) {
        return;
    }
    let body = match findings {
        None => "The review ended without a result.".to_owned(),
        Some(1) => "The review is there: 1 finding.".to_owned(),
        Some(count) => format!("The review is there: {count} findings."),
    };
    // The system may have no notifications.
    let _ = app.notification().builder().title("diffsan").body(body).show();
}
