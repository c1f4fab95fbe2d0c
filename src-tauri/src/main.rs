//! The window program: opens the page, passes JSON-RPC text to the core and back, and offers desktop functions. It
//! contains no logic.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod graphics;
mod initial_answers;
mod links;
mod menu;
mod restart;
mod shell;
mod window_state;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};

use diffsan_app::{App, AppOptions, Launch, stopped};
use diffsan_export::for_terminal;
use diffsan_rpc::Server;
use diffsan_updater::Updater;
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, State, WebviewUrl, WebviewWindowBuilder, WindowEvent};

/// The core, and the receiver of its notifications.
struct Desk {
    app: Arc<App>,
    rpc: Server,
    notifications: Arc<Mutex<Notifications>>,
}

/// The receiver of notifications. Notifications wait until the page has connected its channel.
enum Notifications {
    Waiting(Vec<String>),
    To(Channel<String>),
}

impl Notifications {
    fn send(&mut self, text: String) {
        match self {
            Self::Waiting(texts) => texts.push(text),
            // A page that is gone receives nothing. The result of a run is saved anyway.
            Self::To(channel) => drop(channel.send(text)),
        }
    }
}

/// Connects the page's channel for notifications. A reloaded page connects again before its first request, which
/// cancels the pending requests of the previous page.
#[tauri::command]
fn rpc_connect(desk: State<'_, Desk>, channel: Channel<String>) {
    let mut notifications = desk.notifications.lock().unwrap_or_else(PoisonError::into_inner);
    let before = std::mem::replace(&mut *notifications, Notifications::To(channel));
    match before {
        Notifications::Waiting(texts) => texts.into_iter().for_each(|text| notifications.send(text)),
        Notifications::To(_) => desk.rpc.close(),
    }
}

/// Answers one JSON-RPC request.
#[tauri::command]
async fn rpc(desk: State<'_, Desk>, request: String) -> Result<String, ()> {
    let notifications = Arc::clone(&desk.notifications);
    let hear = move |text| notifications.lock().unwrap_or_else(PoisonError::into_inner).send(text);
    Ok(desk.rpc.call(request, hear).await.text)
}

fn main() -> ExitCode {
    if let Some(code) = diffsan_agent::begin_program() {
        return code;
    }
    if let Some(code) = restart::begin() {
        return code;
    }
    graphics::prepare();
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let folder = std::env::current_dir().unwrap_or_default();
    if let Some(prefix) = std::env::var_os("GIT_PREFIX") {
        // A running window gets the arguments of this start, but not its environment. So this start names its repository.
        let complete = Launch::complete_for_git(&words, &folder, Path::new(&prefix));
        return match start_again(&complete) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&format!("The window cannot be opened: {error}.")),
        };
    }
    // A link, and a change without a repository, are shown by the page when it is loaded.
    let first =
        Launch::read(&words, &folder).ok().filter(|first| !first.link && (first.repo.is_some() || first.sample));
    let later = first.is_none() && !words.is_empty();
    let first = first.unwrap_or_default();
    let options = AppOptions {
        start_repo: first.repo,
        start_sample: first.sample,
        start_target: first.target,
        ..AppOptions::default()
    };
    diffsan_updater::recover_at_start();
    let app = match App::start(options) {
        Ok(app) => app,
        Err(error) => return fail(&format!("{} {}", error.message, error.hint.unwrap_or_default())),
    };
    if later {
        app.launched(&words, &folder);
    }
    let leaving = Arc::clone(&app);
    let notifications = Arc::new(Mutex::new(Notifications::Waiting(Vec::new())));
    let updater = Updater::of_window(Arc::clone(&app));
    let server = Server::of_window(Arc::clone(&app), &updater);
    // Start the calls now, because a web view takes a while to start.
    let answers = initial_answers::InitialAnswers::request(&server);
    let desk = Desk { rpc: server, app, notifications };
    let requested = Arc::clone(&updater);
    let built = shell::single(tauri::Builder::default())
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .manage(desk)
        .invoke_handler(tauri::generate_handler![
            rpc_connect,
            rpc,
            links::open_link,
            shell::save,
            shell::ended,
            shell::turns,
            menu::menu
        ])
        .on_menu_event(|app, event| menu::chosen(app, &event))
        .setup(move |app| {
            // The same as quitting by the menu: running work is stopped first.
            let ending = app.handle().clone();
            tauri::async_runtime::spawn(async move {
                stopped().await;
                ending.exit(0);
            });
            let ending = app.handle().clone();
            tauri::async_runtime::spawn(async move {
                requested.restart_requested().await;
                ending.exit(0);
            });
            let state = window_file(app.handle());
            let builder = WebviewWindowBuilder::new(app, "main", WebviewUrl::default());
            let builder = builder.initialization_script(answers.script());
            let builder = shell::confine(builder.title("diffsan").min_inner_size(800.0, 520.0));
            // The page's title names the change. If this fails, the old title stays.
            let builder = builder.on_document_title_changed(|window, title| drop(window.set_title(&title)));
            let screens = app.available_monitors().unwrap_or_default();
            let window = window_state::restore(builder, &state, &screens).build()?;
            let remembered = window.clone();
            window.on_window_event(move |event| {
                if matches!(event, WindowEvent::CloseRequested { .. }) {
                    window_state::remember(&remembered, &state);
                }
            });
            Ok(())
        })
        .build(tauri::generate_context!());
    match built {
        Ok(app) => {
            app.run(move |handle, event| match event {
                // The user quit by a menu, or the system ends the program. A closed window does not exist any more.
                tauri::RunEvent::ExitRequested { .. } => {
                    if let Some(window) = handle.get_webview_window("main") {
                        window_state::remember(&window, &window_file(handle));
                        // The program ends in any case.
                        let _ = window.hide();
                    }
                }
                #[cfg(target_os = "macos")]
                tauri::RunEvent::Opened { urls } => shell::opened(handle, &urls),
                tauri::RunEvent::Exit => {
                    tauri::async_runtime::block_on(leaving.end());
                    if updater.is_restarting() {
                        restart::become_supervisor();
                    }
                }
                _ => {}
            });
            ExitCode::SUCCESS
        }
        Err(error) => fail(&format!("The window cannot be opened: {error}.")),
    }
}

/// Starts the program with other arguments in place of this process, without git's variable.
fn start_again(words: &[OsString]) -> std::io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(words).env_remove("GIT_PREFIX");
    #[cfg(unix)]
    return Err(std::os::unix::process::CommandExt::exec(&mut command));
    #[cfg(not(unix))]
    return command.spawn().map(drop);
}

/// Returns the path of the file with the window's position.
fn window_file(app: &AppHandle) -> PathBuf {
    app.state::<Desk>().app.places().data.join("window.json")
}

#[allow(clippy::print_stderr, reason = "there is no window to say it in")]
fn fail(message: &str) -> ExitCode {
    eprintln!("error: {}", for_terminal(message));
    ExitCode::FAILURE
}
