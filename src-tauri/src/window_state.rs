//! Saves the position and size of the window in the data folder, and restores them.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tauri::{Monitor, Runtime, WebviewWindow, WebviewWindowBuilder};

/// The position and size of a window, in logical pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Place {
    width: f64,
    height: f64,
    x: f64,
    y: f64,
    maximized: bool,
    /// The physical pixels of a logical one on its screen. None in files of earlier versions.
    scale: Option<f64>,
}

/// A screen, in logical pixels.
struct Screen {
    width: f64,
    height: f64,
    x: f64,
    y: f64,
    scale: f64,
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
    let saved = read(file).filter(|place| place.width >= 400.0 && place.height >= 300.0);
    let place = saved.and_then(|place| {
        if screens.is_empty() { Some(place) } else { screens.iter().find_map(|screen| place.on(&Screen::from(screen))) }
    });
    match place {
        Some(place) => {
            builder.inner_size(place.width, place.height).position(place.x, place.y).maximized(place.maximized)
        }
        None => builder.inner_size(WIDTH, HEIGHT).prevent_overflow().center(),
    }
}

fn read(file: &Path) -> Option<Place> {
    std::fs::read(file).ok().and_then(|text| serde_json::from_slice(&text).ok())
}

impl From<&Monitor> for Screen {
    fn from(monitor: &Monitor) -> Self {
        let scale = monitor.scale_factor();
        let (from, size) = (monitor.position().to_logical::<f64>(scale), monitor.size().to_logical::<f64>(scale));
        Self { width: size.width, height: size.height, x: from.x, y: from.y, scale }
    }
}

impl Place {
    /// Returns this place on a screen, no larger than the screen. If the scale has changed since, the window covers the
    /// same part of the screen as before. None if the window's top could not be reached there.
    fn on(&self, screen: &Screen) -> Option<Self> {
        let factor = self.scale.unwrap_or(screen.scale) / screen.scale;
        let place = Self {
            width: (self.width * factor).min(screen.width),
            height: (self.height * factor).min(screen.height),
            x: self.x * factor,
            y: self.y * factor,
            scale: Some(screen.scale),
            ..*self
        };
        let (right, bottom) = (screen.x + screen.width, screen.y + screen.height);
        let across = place.x + place.width >= screen.x + GRIP && place.x <= right - GRIP;
        (across && place.y >= screen.y - GRIP && place.y <= bottom - GRIP).then_some(place)
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
    let now =
        Place { width: size.width, height: size.height, x: position.x, y: position.y, maximized, scale: Some(scale) };
    // The size and position that the window returns to when it is not maximized any more.
    let place = read(file).filter(|_| maximized).map_or(now, |before| Place { maximized, ..before });
    if let Ok(text) = serde_json::to_vec(&place) {
        // If this fails, the window opens at its default place.
        let _ = std::fs::write(file, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Screen = Screen { width: 1920.0, height: 1080.0, x: 0.0, y: 0.0, scale: 1.0 };
    const SCALED: Screen = Screen { width: 960.0, height: 540.0, x: 0.0, y: 0.0, scale: 2.0 };

    fn place(width: f64, height: f64, x: f64, y: f64, scale: Option<f64>) -> Place {
        Place { width, height, x, y, maximized: false, scale }
    }

    #[test]
    fn a_size_that_was_saved_under_another_scale_covers_the_same_part_of_the_screen() {
        let saved = place(850.0, 520.0, 50.0, 30.0, Some(2.0));
        assert_eq!(saved.on(&SCALED), Some(saved));
        assert_eq!(saved.on(&SCREEN), Some(place(1700.0, 1040.0, 100.0, 60.0, Some(1.0))));
        let back = saved.on(&SCREEN).and_then(|place| place.on(&SCALED));
        assert_eq!(back, Some(saved));
    }

    #[test]
    fn a_window_is_no_larger_than_its_screen() {
        let earlier = place(1500.0, 900.0, 300.0, 100.0, None);
        assert_eq!(earlier.on(&SCALED), Some(place(960.0, 540.0, 300.0, 100.0, Some(2.0))));
    }

    #[test]
    fn a_place_beyond_the_screen_is_not_used() {
        assert_eq!(place(1200.0, 800.0, -9000.0, -9000.0, None).on(&SCREEN), None);
    }
}
