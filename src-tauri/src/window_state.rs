//! Where the window was and how large: kept beside the state, so that it comes back there.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tauri::{Monitor, Runtime, WebviewWindow, WebviewWindowBuilder};

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

/// How much of its top a window shows at least, to be taken hold of.
const GRIP: f64 = 80.0;

/// Puts a window where it was, if a screen there shows its top still; else into the middle, no larger than the screen. A file
/// that cannot be read is as if there were none. To be decided before the window is made: its real size is known later only.
pub fn restore<'a, R: Runtime, M: tauri::Manager<R>>(
    builder: WebviewWindowBuilder<'a, R, M>,
    file: &Path,
    screens: &[Monitor],
) -> WebviewWindowBuilder<'a, R, M> {
    let kept = read(file);
    let whole = |place: &Place| place.width >= 400.0 && place.height >= 300.0;
    match kept.filter(|place| whole(place) && (screens.is_empty() || screens.iter().any(|screen| place.is_on(screen))))
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
    /// Whether its top can be reached there.
    fn is_on(&self, screen: &Monitor) -> bool {
        let scale = screen.scale_factor();
        let (from, size) = (screen.position().to_logical::<f64>(scale), screen.size().to_logical::<f64>(scale));
        let (right, bottom) = (from.x + size.width, from.y + size.height);
        let across = self.x + self.width >= from.x + GRIP && self.x <= right - GRIP;
        across && self.y >= from.y - GRIP && self.y <= bottom - GRIP
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
    let now = Place { width: size.width, height: size.height, x: position.x, y: position.y, maximized };
    // What it is given back when it is not maximized any more.
    let place = read(file).filter(|_| maximized).map_or(now, |before| Place { maximized, ..before });
    if let Ok(text) = serde_json::to_vec(&place) {
        // The window opens at its usual place then.
        let _ = std::fs::write(file, text);
    }
}
