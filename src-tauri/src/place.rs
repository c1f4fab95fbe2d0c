//! Where the window was and how large: kept beside the state, so that it comes back there.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tauri::{Runtime, WebviewWindow, WebviewWindowBuilder};

/// In logical pixels.
#[derive(Serialize, Deserialize)]
struct Place {
    width: f64,
    height: f64,
    x: f64,
    y: f64,
    maximized: bool,
}

const WIDTH: f64 = 1440.0;
const HEIGHT: f64 = 900.0;

/// Puts a window where it was; a file that cannot be read is as if there were none.
pub fn restore<'a, R: Runtime, M: tauri::Manager<R>>(
    builder: WebviewWindowBuilder<'a, R, M>,
    file: &Path,
) -> WebviewWindowBuilder<'a, R, M> {
    let kept = std::fs::read(file).ok().and_then(|text| serde_json::from_slice::<Place>(&text).ok());
    match kept.filter(|place| place.width >= 400.0 && place.height >= 300.0) {
        Some(place) => {
            builder.inner_size(place.width, place.height).position(place.x, place.y).maximized(place.maximized)
        }
        None => builder.inner_size(WIDTH, HEIGHT).center(),
    }
}

/// Brings it back where no screen shows its top any more: one was unplugged.
pub fn mend<R: Runtime>(window: &WebviewWindow<R>) {
    let (Ok(screens), Ok(at), Ok(size)) = (window.available_monitors(), window.outer_position(), window.outer_size())
    else {
        return;
    };
    let grip = 80;
    let reachable = screens.iter().any(|screen| {
        let (left, top) = (screen.position().x, screen.position().y);
        let (right, bottom) = (left + screen.size().width as i32, top + screen.size().height as i32);
        at.x + size.width as i32 >= left + grip && at.x <= right - grip && at.y >= top - grip && at.y <= bottom - grip
    });
    if !reachable && !screens.is_empty() {
        let _ = window.center();
    }
}

/// Keeps where it is. It matters too little to disturb anybody when it fails.
pub fn remember<R: Runtime>(window: &WebviewWindow<R>, file: &Path) {
    let (Ok(scale), Ok(size), Ok(position)) = (window.scale_factor(), window.inner_size(), window.outer_position())
    else {
        return;
    };
    let (size, position) = (size.to_logical::<f64>(scale), position.to_logical::<f64>(scale));
    let maximized = window.is_maximized().unwrap_or(false);
    let place = Place { width: size.width, height: size.height, x: position.x, y: position.y, maximized };
    if let Ok(text) = serde_json::to_vec(&place) {
        let _ = std::fs::write(file, text);
    }
}
