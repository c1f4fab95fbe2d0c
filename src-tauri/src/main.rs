//! The window: opens the page, passes JSON-RPC text to the core and back, and offers what only a desktop can. No logic.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod graphics;
mod place;

use std::path::PathBuf;
use std::process::ExitCode;

use diffsan_core::app::{App, AppOptions};
use diffsan_core::rpc::Server;
use tauri::ipc::Channel;
use tauri::{Manager, State, WebviewUrl, WebviewWindowBuilder, WindowEvent};

/// The core, and where its notifications go.
struct Desk {
    rpc: Server,
    notifications: std::sync::Mutex<Option<Channel<String>>>,
}

impl Desk {
    fn channel(&self) -> Option<Channel<String>> {
        self.notifications.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

/// The page says where it hears notifications. A page that was loaded anew says so again.
#[tauri::command]
fn rpc_connect(desk: State<'_, Desk>, channel: Channel<String>) {
    *desk.notifications.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(channel);
}

/// One JSON-RPC request and its answer.
#[tauri::command]
async fn rpc(desk: State<'_, Desk>, request: String) -> Result<String, ()> {
    let channel = desk.channel();
    let answer = desk
        .rpc
        .call(&request, move |text| {
            if let Some(channel) = &channel {
                // A page that is gone hears nothing; what the run finds is kept all the same.
                let _ = channel.send(text);
            }
        })
        .await;
    Ok(answer)
}

fn main() -> ExitCode {
    graphics::prepare();
    let argument = std::env::args_os().nth(1);
    let start_sample = argument.as_deref().is_some_and(|word| word == "--sample");
    let start_repo = argument.filter(|_| !start_sample).map(|path| {
        let path = PathBuf::from(path);
        std::path::absolute(&path).unwrap_or(path)
    });
    let app = match App::start(AppOptions { start_repo, start_sample, ..AppOptions::default() }) {
        Ok(app) => app,
        Err(error) => return fail(&format!("{} {}", error.message, error.hint.unwrap_or_default())),
    };
    let places = app.places().clone();
    let leaving = std::sync::Arc::clone(&app);
    let desk = Desk { rpc: Server::new(app), notifications: std::sync::Mutex::new(None) };
    let built = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .manage(desk)
        .invoke_handler(tauri::generate_handler![rpc_connect, rpc])
        .setup(move |app| {
            let state = places.data.join("window.json");
            let builder = WebviewWindowBuilder::new(app, "main", WebviewUrl::default())
                .title("diffsan")
                .min_inner_size(800.0, 520.0);
            let window = place::restore(builder, &state).build()?;
            let remembered = window.clone();
            window.on_window_event(move |event| {
                if matches!(event, WindowEvent::CloseRequested { .. }) {
                    place::remember(&remembered, &state);
                }
            });
            Ok(())
        })
        .build(tauri::generate_context!());
    match built {
        Ok(app) => {
            app.run(move |handle, event| match event {
                tauri::RunEvent::ExitRequested { .. } => {
                    let _ = handle.get_webview_window("main").map(|window| window.hide());
                }
                tauri::RunEvent::Exit => tauri::async_runtime::block_on(leaving.end()),
                _ => {}
            });
            ExitCode::SUCCESS
        }
        Err(error) => fail(&format!("The window cannot be opened: {error}.")),
    }
}

#[allow(clippy::print_stderr, reason = "there is no window to say it in")]
fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}
