//! Reading the layers of the configuration: the user's file, the repository's, the environment.

use std::io;
use std::path::Path;

use crate::config::{ConfigError, Layer, Origin, Resolved, environment_layer, parse_layer, resolve};

/// The name of the repository's file.
pub const REPOSITORY_FILE: &str = ".diffsan.toml";

/// Joins all layers. `repository` is the repository's file (its name for messages, its text), read from the side that
/// the reviewer trusts more by the caller; `overrides` are flags or choices made in the window.
pub fn load(
    user_file: &Path,
    repository: Option<(&str, &str)>,
    overrides: Vec<Layer>,
    trusted: bool,
) -> Result<Resolved, ConfigError> {
    let mut layers = Vec::new();
    let place = user_file.display().to_string();
    match std::fs::read_to_string(user_file) {
        Ok(text) => layers.push(parse_layer(Origin::User(place), &text)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(ConfigError { place, message: error.to_string() }),
    }
    if let Some((place, text)) = repository {
        layers.push(parse_layer(Origin::Repository(place.to_owned()), text)?);
    }
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    layers.push(environment_layer(variables)?);
    layers.extend(overrides);
    resolve(layers, trusted)
}
