//! Registers methods and describes them in the same breath, so that the description cannot drift.

use std::sync::Arc;

use jsonrpsee::types::ErrorObjectOwned;
use jsonrpsee::types::error::INVALID_PARAMS_CODE;
use jsonrpsee::{Extensions, RpcModule};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::{Error, Result};

/// The code of an error that carries an [`crate::error::ErrorInfo`].
const APPLICATION_ERROR: i32 = -32000;
/// The code of a change that is not open (any more): open it again.
pub(super) const UNKNOWN_CHANGE: i32 = -32004;

/// What a method fails with.
pub(super) enum Fault {
    /// A failure of the core.
    Core(Error),
    /// The change is not open.
    UnknownChange,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl From<Fault> for ErrorObjectOwned {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Core(error) => {
                let error = crate::redact::failure(error);
                Self::owned(APPLICATION_ERROR, error.message.clone(), Some(error.info()))
            }
            Fault::UnknownChange => Self::owned(UNKNOWN_CHANGE, "The change is not open any more.", None::<()>),
        }
    }
}

/// Methods and their description.
pub(super) struct Table {
    pub(super) module: RpcModule<Arc<App>>,
    pub(super) schemas: SchemaGenerator,
    methods: Vec<Value>,
}

impl Table {
    pub(super) fn new(app: Arc<App>) -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
        });
        Self { module: RpcModule::new(app), schemas: settings.into_generator(), methods: Vec::new() }
    }

    /// A method with named parameters, which may block.
    pub(super) fn method<P, R>(
        &mut self,
        name: &'static str,
        summary: &str,
        handler: impl Fn(&Arc<App>, P) -> std::result::Result<R, Fault> + Clone + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + JsonSchema + 'static,
        R: Serialize + JsonSchema + Clone + Send + 'static,
    {
        let params = self.schemas.subschema_for::<P>().to_value();
        self.describe::<R>(name, summary, Some(params), None);
        let registered = self.module.register_blocking_method(name, move |params, app, _: Extensions| {
            let params = params.parse::<P>().map_err(|error| {
                ErrorObjectOwned::owned(
                    INVALID_PARAMS_CODE,
                    format!("Invalid parameters: {}", error.message()),
                    None::<()>,
                )
            })?;
            handler(&app, params).map_err(ErrorObjectOwned::from)
        });
        debug_assert!(registered.is_ok(), "{name} is registered twice");
    }

    /// A method without parameters, which may block.
    pub(super) fn plain<R>(
        &mut self,
        name: &'static str,
        summary: &str,
        handler: impl Fn(&Arc<App>) -> Result<R> + Clone + Send + Sync + 'static,
    ) where
        R: Serialize + JsonSchema + Clone + Send + 'static,
    {
        self.describe::<R>(name, summary, None, None);
        let registered = self.module.register_blocking_method(name, move |_, app, _: Extensions| {
            handler(&app).map_err(|error| ErrorObjectOwned::from(Fault::from(error)))
        });
        debug_assert!(registered.is_ok(), "{name} is registered twice");
    }

    /// Describes a subscription that is registered by the caller.
    pub(super) fn subscription<P: JsonSchema, E: JsonSchema>(
        &mut self,
        name: &'static str,
        notification: &str,
        unsubscribe: &str,
        summary: &str,
    ) {
        let params = self.schemas.subschema_for::<P>().to_value();
        let event = self.schemas.subschema_for::<E>().to_value();
        let subscription = json!({ "notification": notification, "unsubscribe": unsubscribe, "event": event });
        self.describe::<String>(name, summary, Some(params), Some(subscription));
    }

    fn describe<R: JsonSchema>(
        &mut self,
        name: &str,
        summary: &str,
        params: Option<Value>,
        subscription: Option<Value>,
    ) {
        let result = self.schemas.subschema_for::<R>().to_value();
        let mut method = json!({
            "name": name,
            "summary": summary,
            "paramStructure": "by-name",
            "params": params.iter().map(|schema| json!({ "name": "params", "required": true, "schema": schema })).collect::<Vec<_>>(),
            "result": { "name": "result", "schema": result },
        });
        if let Some(params) = params {
            method["x-params"] = params;
        }
        if let Some(subscription) = subscription {
            method["x-subscription"] = subscription;
        }
        self.methods.push(method);
    }

    /// The OpenRPC document of all that was registered.
    pub(super) fn document(&mut self) -> Value {
        // Errors carry this type, which no method names.
        self.schemas.subschema_for::<crate::error::ErrorInfo>();
        json!({
            "openrpc": "1.3.2",
            "info": { "title": "diffsan", "version": env!("CARGO_PKG_VERSION"), "license": { "name": "MIT OR Apache-2.0" } },
            "methods": self.methods,
            "components": { "schemas": self.schemas.take_definitions(true) },
        })
    }
}
