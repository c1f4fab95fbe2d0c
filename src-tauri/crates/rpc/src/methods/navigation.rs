//! Definitions, references and callers in the files of a change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::ChangeIdParams;
use crate::registry::{Table, opened};
use diffsan_app::NamePlace;
use diffsan_pipeline::navigation::ChangedSignature;

/// Asks for the definition of a name.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct DefinitionParams {
    /// The opened change.
    pub change_id: String,
    /// The place of the name.
    pub name_place: NamePlace,
}

/// Asks for the references to a name.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ReferencesParams {
    /// The opened change.
    pub change_id: String,
    /// The place of the name.
    pub name_place: NamePlace,
    /// Only calls are returned.
    #[serde(default)]
    pub only_calls: bool,
}

/// The changed signatures of a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SignaturesView {
    /// The changed signatures with unchanged callers, in the order of the files.
    pub signatures: Vec<ChangedSignature>,
}

pub(super) fn register(table: &mut Table) {
    table.asked_query("navigation.prepare", "Reads the symbols of both sides", |app, params: ChangeIdParams, ask| {
        Ok(app.prepare_symbols(&opened(app, &params.change_id)?, &ask.cancel)?)
    });
    table.query("navigation.names", "Returns the names on a line", |app, params: DefinitionParams| {
        Ok(app.names_on_line(&opened(app, &params.change_id)?, &params.name_place)?)
    });
    table.query("navigation.definition", "Finds the definition of a name", |app, params: DefinitionParams| {
        Ok(app.find_definition(&opened(app, &params.change_id)?, &params.name_place)?)
    });
    table.query("navigation.references", "Finds the references to a name", |app, params: ReferencesParams| {
        Ok(app.find_references(&opened(app, &params.change_id)?, &params.name_place, params.only_calls)?)
    });
    table.query(
        "navigation.signatures",
        "Returns changed signatures with their unchanged callers",
        |app, params: ChangeIdParams| {
            let signatures = app.changed_signatures(&opened(app, &params.change_id)?)?;
            Ok(SignaturesView { signatures })
        },
    );
}
