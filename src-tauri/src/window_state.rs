//! Saves the position and size of the window in the data folder, and restores them.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tauri::{Monitor, Runtime, WebviewWindow, WebviewWindowBuilder};

/// The position and size of a window, in logical pixels.
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

/// The minimum part of a window's top that must be visible, so that the user can move it.
const GRIP: f64 = 80.0;

/// Places a window at its saved position if a screen still shows its top there. Otherwise centres it, no larger than
/// the screen. A file that cannot be read is ignored. Call this before the window is created, because its real size is
/// known only later.
pub fn restore<'a, R: Runtime, M: tauri::Manager<R>>(
    builder: WebviewWindowBuilder<'a, R, M>,
    file: &Path,
    screens: &[Monitor],
) -> WebviewWindowBuilder<'a, R, M> {
    let saved = read(file);
    let whole = |place: &Place| place.width >= 400.0 && place.height >= 300.0;
    match saved.filter(|place| whole(place) && (screens.is_empty() || screens.iter().any(|screen| place.is_on(screen))))
    {
        Some(place) => {
            builder.inner_size(place.width, place.height).position(place.x, place.y).maximized(place.maximized)
        }
        None => builder.inner_size(WIDTH, HEIGHT).prevent_overflow().center(),
    }
}

fn read(file: &Path) -> Option<Place> {
    std::fs::read(file).ok().and_then(|text| serde_json::from_slice(&text).ok())
}

impl Place {
    /// Whether the window's top can be reached on a screen.
    fn is_on(&self, screen: &Monitor) -> bool {
        let scale = screen.scale_factor();
        let (from, size) = (screen.position().to_logical::<f64>(scale), screen.size().to_logical::<f64>(scale));
        let (right, bottom) = (from.x + size.width, from.y + size.height);
        let across = self.x + self.width >= from.x + GRIP && self.x <= right - GRIP;
        across && self.y >= from.y - GRIP && self.y <= bottom - GRIP
    }
}

/// Saves the position and size of a window. Errors are ignored, because they are not important enough to report.
pub fn remember<R: Runtime>(window: &WebviewWindow<R>, file: &Path) {
    let (Ok(scale), Ok(size), Ok(position)) = (window.scale_factor(), window.inner_size(), window.outer_position())
    else {
        return;
    };
    let (size, position) = (size.to_logical::<f64>(scale), position.to_logical::<f64>(scale));
    let maximized = window.is_maximized().unwrap_or(false);
    let now = Place { width: size.width, height: size.height, x: position.x, y: position.y, maximized };
    // The size and position that the window returns to when it is not maximized any more.
    let place = read(file).filter(|_| maximized).map_or(now, |before| Place { maximized, ..before });
    if let Ok(text) = serde_json::to_vec(&place) {
        // If this fails, the window opens at its default place.
        let _ = std::fs::write(file, text);
    }
}
