//! Registers the methods and describes each of them in the same call, so that the description always matches.

use std::collections::HashMap;
use std::sync::Arc;

use jsonrpsee::core::SubscriptionResult;
use jsonrpsee::types::error::INVALID_PARAMS_CODE;
use jsonrpsee::types::{ErrorObjectOwned, Params};
use jsonrpsee::{Extensions, PendingSubscriptionSink, RpcModule, SubscriptionSink};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::{self, Sender};
use tokio::task::JoinHandle;

use super::description::{Description, Method, Subscription, schema_of};
use super::pending::Ask;
use diffsan_app::{App, ChangeHandle};
use diffsan_pipeline::error::{Error, ErrorCode, Result};

/// The code of an error with an [`diffsan_pipeline::error::ErrorInfo`] as its data.
const APPLICATION_ERROR: i32 = -32000;
/// The code of the error for a change that is not open, or not open any more. The client opens it again.
pub(crate) const UNKNOWN_CHANGE: i32 = -32004;

/// Returns the opened change with this id.
pub(crate) fn opened(app: &App, id: &str) -> std::result::Result<ChangeHandle, Fault> {
    app.change(id).ok_or(Fault::UnknownChange)
}

/// The error of a method.
pub(crate) enum Fault {
    /// An error of the core.
    Core(Error),
    /// The change is not open, or not open any more.
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
                let error = diffsan_pipeline::error::redacted(error);
                Self::owned(APPLICATION_ERROR, error.message.clone(), Some(error.info()))
            }
            Fault::UnknownChange => Self::owned(UNKNOWN_CHANGE, "The change is not open any more.", None::<()>),
        }
    }
}

/// Returns the error of a call that was cancelled before it began.
pub(crate) fn cancelled() -> ErrorObjectOwned {
    Fault::Core(Error::new(ErrorCode::Cancelled, "The call was cancelled.")).into()
}

/// The scheduling of a method's calls. A queued call that saves something runs even if its page is gone.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Calls use this machine.
    Local { saves: bool },
    /// Calls wait for an agent or a server.
    Remote { saves: bool },
    /// Calls begin at once, however many are pending.
    Urgent,
}

/// The methods that are registered, with their description.
pub(crate) struct Table {
    pub(crate) module: RpcModule<Arc<App>>,
    pub(crate) kinds: HashMap<&'static str, Kind>,
    pub(crate) description: Description,
}

impl Table {
    pub(crate) fn new(app: Arc<App>) -> Self {
        Self { module: RpcModule::new(app), kinds: HashMap::new(), description: Description::default() }
    }

    /// Registers a method that saves something. The handler may block.
    pub(crate) fn method<P, R>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        handler: impl Fn(&Arc<App>, P) -> std::result::Result<R, Fault> + Clone + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + JsonSchema + 'static,
        R: Serialize + JsonSchema + Clone + Send + 'static,
    {
        self.asked_method(name, summary, move |app, params, _| handler(app, params));
    }

    /// Registers a method that saves something and needs to know who asks. The handler may block.
    pub(crate) fn asked_method<P, R>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        handler: impl Fn(&Arc<App>, P, &Ask) -> std::result::Result<R, Fault> + Clone + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + JsonSchema + 'static,
        R: Serialize + JsonSchema + Clone + Send + 'static,
    {
        self.blocking(name, summary, Kind::Local { saves: true }, handler);
    }

    /// Registers a method that saves nothing. A queued call does not begin if its page is gone. The handler may block.
    pub(crate) fn query<P, R>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        handler: impl Fn(&Arc<App>, P) -> std::result::Result<R, Fault> + Clone + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + JsonSchema + 'static,
        R: Serialize + JsonSchema + Clone + Send + 'static,
    {
        self.asked_query(name, summary, move |app, params, _| handler(app, params));
    }

    /// Registers a query that can be cancelled while it runs. The handler may block.
    pub(crate) fn asked_query<P, R>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        handler: impl Fn(&Arc<App>, P, &Ask) -> std::result::Result<R, Fault> + Clone + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + JsonSchema + 'static,
        R: Serialize + JsonSchema + Clone + Send + 'static,
    {
        self.blocking(name, summary, Kind::Local { saves: false }, handler);
    }

    /// Registers a query without parameters. The handler may block.
    pub(crate) fn plain<R>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        handler: impl Fn(&Arc<App>) -> Result<R> + Clone + Send + Sync + 'static,
    ) where
        R: Serialize + JsonSchema + Clone + Send + 'static,
    {
        self.description.add(Method::new::<R>(name, summary));
        self.kinds.insert(name, Kind::Local { saves: false });
        let registered = self.module.register_blocking_method(name, move |_, app, _: Extensions| {
            handler(&app).map_err(|error| ErrorObjectOwned::from(Fault::from(error)))
        });
        debug_assert!(registered.is_ok(), "{name} is registered twice");
    }

    fn blocking<P, R>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        kind: Kind,
        handler: impl Fn(&Arc<App>, P, &Ask) -> std::result::Result<R, Fault> + Clone + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + JsonSchema + 'static,
        R: Serialize + JsonSchema + Clone + Send + 'static,
    {
        self.description.add(Method::new::<R>(name, summary).with_params::<P>());
        self.kinds.insert(name, kind);
        let registered = self.module.register_blocking_method(name, move |params, app, extensions: Extensions| {
            let ask = extensions.get::<Ask>().cloned().unwrap_or_default();
            handler(&app, parse(&params)?, &ask).map_err(ErrorObjectOwned::from)
        });
        debug_assert!(registered.is_ok(), "{name} is registered twice");
    }

    /// Registers a method that begins at once, however many calls are queued. The handler must not block.
    pub(crate) fn urgent_method<P, R>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        handler: impl Fn(P, &Ask) -> R + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + JsonSchema + 'static,
        R: Serialize + JsonSchema + Clone + Send + 'static,
    {
        self.description.add(Method::new::<R>(name, summary).with_params::<P>());
        self.kinds.insert(name, Kind::Urgent);
        let registered = self.module.register_method(name, move |params, _, extensions: &Extensions| {
            let ask = extensions.get::<Ask>().cloned().unwrap_or_default();
            Ok::<R, ErrorObjectOwned>(handler(parse(&params)?, &ask))
        });
        debug_assert!(registered.is_ok(), "{name} is registered twice");
    }

    /// Registers a method that changes something on a server. The handler must not block.
    pub(crate) fn async_method<P, R, F>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        handler: impl Fn(Arc<App>, P) -> F + Clone + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + JsonSchema + Send + 'static,
        R: Serialize + JsonSchema + Clone + Send + 'static,
        F: Future<Output = std::result::Result<R, Fault>> + Send + 'static,
    {
        let kind = Kind::Remote { saves: true };
        self.waiting(name, summary, kind, move |app, params, _| handler(app, params));
    }

    /// Registers a method that waits for an agent or a server and can be cancelled. The handler must not block.
    pub(crate) fn async_query<P, R, F>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        handler: impl Fn(Arc<App>, P, Ask) -> F + Clone + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + JsonSchema + Send + 'static,
        R: Serialize + JsonSchema + Clone + Send + 'static,
        F: Future<Output = std::result::Result<R, Fault>> + Send + 'static,
    {
        self.waiting(name, summary, Kind::Remote { saves: false }, handler);
    }

    fn waiting<P, R, F>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        kind: Kind,
        handler: impl Fn(Arc<App>, P, Ask) -> F + Clone + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + JsonSchema + Send + 'static,
        R: Serialize + JsonSchema + Clone + Send + 'static,
        F: Future<Output = std::result::Result<R, Fault>> + Send + 'static,
    {
        self.description.add(Method::new::<R>(name, summary).with_params::<P>());
        self.kinds.insert(name, kind);
        let registered = self.module.register_async_method(name, move |params, app, extensions: Extensions| {
            let ask = extensions.get::<Ask>().cloned().unwrap_or_default();
            let work = parse(&params).map(|params| handler(Arc::clone(&app), params, ask));
            async move { work?.await.map_err(ErrorObjectOwned::from) }
        });
        debug_assert!(registered.is_ok(), "{name} is registered twice");
    }

    /// Registers a subscription. `names` are the names of the subscribing method, of the notification and of the
    /// unsubscribing method. `find` resolves the parameters or rejects the subscription; `send_events` then sends the events
    /// until the last one.
    pub(crate) fn subscription<P, E, T, F>(
        &mut self,
        names: [&'static str; 3],
        summary: &'static str,
        find: impl Fn(&Arc<App>, P, &Ask) -> std::result::Result<T, Fault> + Clone + Send + Sync + 'static,
        send_events: impl Fn(Arc<App>, T, SubscriptionSink) -> F + Clone + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + JsonSchema + Send + 'static,
        E: JsonSchema,
        T: Send + 'static,
        F: Future<Output = SubscriptionResult> + Send + 'static,
    {
        let [name, notification, unsubscribe] = names;
        let events = Subscription { notification, unsubscribe, event: schema_of::<E> };
        self.description.add(Method::new::<String>(name, summary).with_params::<P>().with_events(events));
        let registered = self.module.register_subscription(
            name,
            notification,
            unsubscribe,
            move |params, pending: PendingSubscriptionSink, app, extensions: Extensions| {
                let (find, send_events) = (find.clone(), send_events.clone());
                let ask = extensions.get::<Ask>().cloned().unwrap_or_default();
                async move {
                    let app: Arc<App> = Arc::clone(&app);
                    let found = match params.parse::<P>() {
                        Ok(params) => find(&app, params, &ask).map_err(ErrorObjectOwned::from),
                        Err(error) => Err(error),
                    };
                    match found {
                        Ok(found) => send_events(app, found, pending.accept().await?).await,
                        Err(error) => {
                            pending.reject(error).await;
                            Ok(())
                        }
                    }
                }
            },
        );
        debug_assert!(registered.is_ok(), "{name} is registered twice");
    }
}

fn parse<P: DeserializeOwned>(params: &Params<'_>) -> std::result::Result<P, ErrorObjectOwned> {
    params.parse().map_err(|error| {
        let message = format!("Invalid parameters: {}", error.message());
        ErrorObjectOwned::owned(INVALID_PARAMS_CODE, message, None::<()>)
    })
}

/// Returns a channel to a subscriber and the task that forwards from it. The channel holds at most `waiting` unread
/// events. When the subscriber goes away, the receiving end closes, but the sender's work continues. The task ends when
/// the sender is dropped.
pub(crate) fn listener<E: Serialize + Send + 'static>(
    sink: SubscriptionSink,
    waiting: usize,
) -> (Sender<E>, JoinHandle<()>) {
    let (sender, mut receiver) = mpsc::channel::<E>(waiting);
    let forward = tokio::spawn(async move {
        while let Some(event) = receiver.recv().await {
            let Ok(message) = serde_json::value::to_raw_value(&event) else { continue };
            if sink.send(message).await.is_err() {
                receiver.close();
                break;
            }
        }
    });
    (sender, forward)
}

/// Sends one event to a subscriber. Returns whether the subscriber is still there.
pub(crate) async fn send(sink: &SubscriptionSink, event: &impl Serialize) -> bool {
    match serde_json::value::to_raw_value(event) {
        Ok(message) => sink.send(message).await.is_ok(),
        Err(_) => true,
    }
}
