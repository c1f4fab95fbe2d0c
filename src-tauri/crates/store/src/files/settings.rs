//! Reads the layers of the configuration: the user's file, the repository's file, the environment.

use diffsan_config::{ConfigError, Layer, Origin, Resolved, environment_layer, parse_layer, resolve};
use std::io;
use std::path::Path;

/// The name of the repository's settings file.
pub const REPOSITORY_FILE: &str = ".diffsan.toml";

/// Joins all layers. `repository` is the repository's file (its name for messages, its text), which the caller reads from the
/// more trusted side of the change. `overrides` are command-line options or choices made in the window.
pub fn load(
    user_file: &Path,
    repository: Option<(&str, &str)>,
    overrides: Vec<Layer>,
    trusted: bool,
) -> Result<Resolved, ConfigError> {
    let mut layers = Vec::new();
    let place = user_file.display().to_string();
    match diffsan_bounded::read_to_string(user_file, diffsan_bounded::MAX_SETTINGS_BYTES) {
        Ok(text) => layers.push(parse_layer(Origin::User(place), &text)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            return Err(ConfigError { message: error.to_string(), origin: Origin::User(place.clone()), place });
        }
    }
    if let Some((place, text)) = repository {
        layers.push(parse_layer(Origin::Repository(place.to_owned()), text)?);
    }
    layers.push(environment_layer(variables()?.into_iter())?);
    layers.extend(overrides);
    resolve(layers, trusted)
}

/// Returns the environment variables. Skips those that are not UTF-8; returns an error if such a variable has the name of a setting.
fn variables() -> Result<Vec<(String, String)>, ConfigError> {
    let mut variables = Vec::new();
    for (name, value) in std::env::vars_os() {
        let shown = name.to_string_lossy().into_owned();
        match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) => variables.push((name, value)),
            _ if shown.strip_prefix("DIFFSAN_").is_some_and(|rest| rest.contains("__")) => {
                let place = format!("{}, {shown}", Origin::Environment);
                return Err(ConfigError { place, message: "it is not UTF-8".to_owned(), origin: Origin::Environment });
            }
            _ => {}
        }
    }
    Ok(variables)
}
