//! Opens addresses in the system's browser.
//!
//! The program that opens them is searched only in folders in which no repository can place a program. The opener
//! plug-in of Tauri cannot do that.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use diffsan_agent::SearchPath;
use tauri::{State, Url};

use crate::Desk;

/// The maximum time to wait for a launcher. One that runs longer has passed the address on: some wait until the browser
/// ends.
const LAUNCH_TIMEOUT: Duration = Duration::from_secs(5);

/// The schemes of editors that open a file by an address such as `vscode://file/path:line`.
const EDITOR_SCHEMES: [&str; 5] = ["vscode", "vscodium", "cursor", "windsurf", "zed"];

/// Returns whether an address is a web address, or opens a file in an editor. Other addresses of editors could install extensions.
fn is_allowed(url: &Url) -> bool {
    match url.scheme() {
        "http" | "https" => true,
        "idea" => url.host_str() == Some("open"),
        scheme => EDITOR_SCHEMES.contains(&scheme) && url.host_str() == Some("file"),
    }
}

/// Opens a web address, or a file in an editor. The error is text for display.
#[tauri::command]
pub async fn open_link(desk: State<'_, Desk>, url: String) -> Result<(), String> {
    let url = Url::parse(&url).ok().filter(is_allowed);
    let url = url.ok_or("This is not a web address, so it was not opened.")?;
    if cfg!(windows) {
        // The system itself opens it, so no program is searched.
        return open::that_detached(url.as_str()).map_err(|error| error.to_string());
    }
    let app = Arc::clone(&desk.app);
    let search = tauri::async_runtime::spawn_blocking(move || app.search_path()).await;
    let search = search.map_err(|error| error.to_string())?;
    for launcher in open::commands(url.as_str()) {
        let Some(program) = launcher.get_program().to_str().and_then(|name| search.find(name)) else { continue };
        if launch(program, &launcher, &search).await {
            return Ok(());
        }
    }
    Err(format!("No program is available to open addresses. Install xdg-utils, or copy the address: {url}"))
}

/// Runs a launcher. Returns `false` if it reports a failure.
async fn launch(program: PathBuf, launcher: &std::process::Command, search: &SearchPath) -> bool {
    let mut command = tokio::process::Command::new(program);
    command.args(launcher.get_args()).env("PATH", search.joined());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The browser must not be stopped with diffsan from its terminal.
    #[cfg(unix)]
    command.process_group(0);
    let Ok(mut child) = command.spawn() else { return false };
    match tokio::time::timeout(LAUNCH_TIMEOUT, child.wait()).await {
        Ok(Ok(status)) => status.success(),
        Ok(Err(_)) => false,
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::is_allowed;
    use tauri::Url;

    #[test]
    fn only_web_addresses_and_files_in_editors_are_opened() {
        let allowed = |url: &str| Url::parse(url).is_ok_and(|url| is_allowed(&url));
        for url in
            ["https://a.example", "http://a.example", "vscode://file/a/b.rs:3", "zed://file/a:1", "idea://open?file=a"]
        {
            assert!(allowed(url), "{url}");
        }
        for url in
            ["file:///etc/passwd", "vscode://ms.extension/install", "javascript:alert(1)", "ssh://a", "idea://run?x"]
        {
            assert!(!allowed(url), "{url}");
        }
    }
}
