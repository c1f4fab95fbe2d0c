//! diffsan's own files: prompts, settings, run folders, the installation key, the bundled sample.

pub mod artifacts;
pub mod own_settings;
pub mod places;
pub mod private;
pub mod prompts;
pub mod sample;
pub mod sent;
pub mod settings;
pub mod symbol_cache;
pub mod usage;
