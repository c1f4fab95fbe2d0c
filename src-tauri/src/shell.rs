//! Behaviour of a desktop program: one window that stays on its page, a dialog for saving files, and a notification
//! when long work ends while the window is in the background.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Builder, Manager, Runtime, WebviewWindow, WebviewWindowBuilder, Wry};
use tauri_plugin_dialog::DialogExt;
use tauri_plugin_notification::NotificationExt;

use crate::Desk;

/// Makes a second start show its change in the window of the first one. A start with another data folder is
/// independent.
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

/// Handles links and files that macOS opens with the program.
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
        // The window system may refuse. Nothing depends on it.
        let _ = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    }
}

/// Restricts the web view to the program's own page: it cannot navigate away, open windows or download files.
pub fn confine<'a, R: Runtime, M: Manager<R>>(
    builder: WebviewWindowBuilder<'a, R, M>,
) -> WebviewWindowBuilder<'a, R, M> {
    builder
        .on_navigation(|url| match url.scheme() {
            "tauri" => url.host_str() == Some("localhost"),
            // On Windows, an application has no scheme of its own.
            "http" | "https" => cfg!(windows) && url.host_str() == Some("tauri.localhost"),
            _ => false,
        })
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false)
}

/// Asks the user for a path and writes the text there, so that the page never names a path. Returns the path, or `None`
/// if the user cancelled.
#[tauri::command]
pub async fn save(app: AppHandle, name: String, text: String) -> Result<Option<String>, String> {
    let (sender, receiver) = std::sync::mpsc::channel();
    app.dialog().file().set_file_name(name).save_file(move |path| drop(sender.send(path)));
    let chosen = tauri::async_runtime::spawn_blocking(move || receiver.recv().ok().flatten()).await;
    let Some(path) = chosen.ok().flatten().and_then(|path| path.into_path().ok()) else { return Ok(None) };
    std::fs::write(&path, text).map_err(|error| format!("{} cannot be written: {error}.", path.display()))?;
    Ok(Some(path.display().to_string()))
}

/// The maximum number of notifications at once. More merge requests are counted in one.
const MAX_NOTIFICATIONS: usize = 3;

/// Notifies the user of merge requests that came to wait, if the window does not have the focus. The page names the rows, the core has
/// their texts.
#[tauri::command]
pub async fn turns(app: AppHandle, window: WebviewWindow, keys: Vec<String>) {
    if window.is_focused().unwrap_or(true) {
        return;
    }
    let core = Arc::clone(&app.state::<Desk>().app);
    let view = tauri::async_runtime::spawn_blocking(move || core.inbox_view()).await;
    let Ok(Ok(view)) = view else { return };
    let rows: Vec<_> = view.rows.into_iter().filter(|row| keys.contains(&row.key)).collect();
    let texts = match rows.len() {
        0..=MAX_NOTIFICATIONS => rows.into_iter().map(|row| (row.title, row.reason.text)).collect(),
        count => vec![("diffsan".to_owned(), format!("{count} merge requests wait for you."))],
    };
    for (title, body) in texts {
        // The system may have no notifications.
        let _ = app.notification().builder().title(title).body(body).show();
    }
}

/// Notifies the user that long work has ended, if the window does not have the focus. The page cannot choose the text.
#[tauri::command]
pub fn ended(app: AppHandle, window: WebviewWindow, findings: Option<u32>) {
    if window.is_focused().unwrap_or(true) {
        return;
    }
    let body = match findings {
        None => "The review ended without a result.".to_owned(),
        Some(1) => "The review is finished: 1 finding.".to_owned(),
        Some(count) => format!("The review is finished: {count} findings."),
    };
    // The system may have no notifications.
    let _ = app.notification().builder().title("diffsan").body(body).show();
}
