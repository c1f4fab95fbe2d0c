//! The menu bar. The page defines its content, except for the item that quits, and is notified of selections. It is
//! shown on systems with a global menu bar, or if the user wants it.

use serde::Deserialize;
use tauri::menu::{MenuBuilder, MenuItemBuilder, Submenu, SubmenuBuilder};
use tauri::{AppHandle, Emitter, Manager, Wry};

/// One menu of the menu bar.
#[derive(Deserialize)]
pub struct Group {
    title: String,
    /// The items. None is a separator.
    items: Vec<Option<Item>>,
}

/// One action of the page.
#[derive(Deserialize)]
pub struct Item {
    id: String,
    title: String,
}

/// The id of the item that quits. The page has no action of this name.
const QUIT: &str = "quit";

/// Shows these menus, or hides them. The menus have no keyboard shortcuts: the page handles the keys, and a menu would
/// take them from text fields.
#[tauri::command]
pub fn menu(app: AppHandle, groups: Vec<Group>, shown: bool) -> Result<(), String> {
    let bar = || -> tauri::Result<()> {
        let window = app.get_webview_window("main");
        if !shown && !cfg!(target_os = "macos") {
            app.remove_menu()?;
            return Ok(());
        }
        let mut bar = MenuBuilder::new(&app);
        if cfg!(target_os = "macos") {
            bar = bar.item(&programs_own(&app)?);
        }
        for (at, group) in groups.iter().enumerate() {
            let mut submenu = SubmenuBuilder::new(&app, &group.title);
            if cfg!(target_os = "macos") && group.title == "Edit" {
                submenu = with_clipboard(submenu);
            }
            for item in &group.items {
                submenu = match item {
                    Some(item) => submenu.item(&MenuItemBuilder::with_id(&item.id, &item.title).build(&app)?),
                    None => submenu.separator(),
                };
            }
            if at == 0 && !cfg!(target_os = "macos") {
                submenu = submenu.separator().text(QUIT, "Quit");
            }
            bar = bar.item(&submenu.build()?);
        }
        if cfg!(target_os = "macos") {
            bar = bar.item(&SubmenuBuilder::new(&app, "Window").minimize().maximize().close_window().build()?);
        }
        app.set_menu(bar.build()?)?;
        window.map_or(Ok(()), |window| window.show_menu())
    };
    bar().map_err(|error| error.to_string())
}

/// The menu under the program's name, which is the first one on macOS.
fn programs_own(app: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    SubmenuBuilder::new(app, "diffsan")
        .services()
        .separator()
        .hide()
        .hide_others()
        .show_all()
        .separator()
        .quit()
        .build()
}

/// Adds the items without which macOS does not pass the keys for copying and pasting to a web view.
fn with_clipboard(menu: SubmenuBuilder<'_, Wry, AppHandle>) -> SubmenuBuilder<'_, Wry, AppHandle> {
    menu.cut().copy().paste().select_all().separator()
}

/// Quits, or notifies the page of a selection.
pub fn chosen(app: &AppHandle, event: &tauri::menu::MenuEvent) {
    if event.id().as_ref() == QUIT {
        return app.exit(0);
    }
    // This fails only if the page is gone.
    let _ = app.emit("menu", event.id().as_ref());
}
