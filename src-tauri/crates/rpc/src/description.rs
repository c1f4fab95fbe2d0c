//! Generates the OpenRPC document of the methods. Programs contain the generated document, so only tests use this.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

/// Generates the schema of a type.
type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// Returns the schema of a type, by reference where it has a name.
pub(crate) fn schema_of<T: JsonSchema>(schemas: &mut SchemaGenerator) -> Schema {
    schemas.subschema_for::<T>()
}

/// The description of a method.
pub(crate) struct Method {
    name: &'static str,
    summary: &'static str,
    params: Option<SchemaOf>,
    result: SchemaOf,
    /// The events, if the method is a subscription.
    events: Option<Subscription>,
}

impl Method {
    /// Describes a method without parameters.
    pub(crate) fn new<R: JsonSchema>(name: &'static str, summary: &'static str) -> Self {
        Self { name, summary, params: None, result: schema_of::<R>, events: None }
    }

    pub(crate) fn with_params<P: JsonSchema>(self) -> Self {
        Self { params: Some(schema_of::<P>), ..self }
    }

    pub(crate) fn with_events(self, events: Subscription) -> Self {
        Self { events: Some(events), ..self }
    }

    fn describe(&self, schemas: &mut SchemaGenerator) -> Value {
        let params = self.params.map(|schema| schema(schemas).to_value());
        let events = self.events.as_ref().map(|events| {
            let event = (events.event)(schemas).to_value();
            json!({ "notification": events.notification, "unsubscribe": events.unsubscribe, "event": event })
        });
        let listed: Vec<Value> =
            params.iter().map(|schema| json!({ "name": "params", "required": true, "schema": schema })).collect();
        let mut method = json!({
            "name": self.name,
            "summary": self.summary,
            "paramStructure": "by-name",
            "params": listed,
            "result": { "name": "result", "schema": (self.result)(schemas).to_value() },
        });
        if let Some(params) = params {
            method["x-params"] = params;
        }
        if let Some(events) = events {
            method["x-subscription"] = events;
        }
        method
    }
}

/// The events of a subscription.
pub(crate) struct Subscription {
    pub(crate) notification: &'static str,
    pub(crate) unsubscribe: &'static str,
    pub(crate) event: SchemaOf,
}

/// The registered methods.
#[derive(Default)]
pub(crate) struct Description(Vec<Method>);

impl Description {
    /// Adds a method. Outside tests this does nothing: a reference to the code that generates schemas would add it to programs.
    pub(crate) fn add(&mut self, method: Method) {
        if cfg!(test) {
            self.0.push(method);
        }
    }

    /// Returns the OpenRPC document.
    pub(crate) fn document(&self) -> Value {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
        });
        let mut schemas = settings.into_generator();
        let mut methods: Vec<Value> = self.0.iter().map(|method| method.describe(&mut schemas)).collect();
        // Errors carry this type, but no method's parameters or result mention it.
        schemas.subschema_for::<diffsan_pipeline::error::ErrorInfo>();
        // A method that moves to another file does not change the document.
        methods.sort_by(|one, other| one["name"].as_str().cmp(&other["name"].as_str()));
        json!({
            "openrpc": "1.3.2",
            "info": { "title": "diffsan", "version": env!("CARGO_PKG_VERSION"), "license": { "name": "MIT OR Apache-2.0" } },
            "methods": methods,
            "components": { "schemas": schemas.take_definitions(true) },
        })
    }
}
