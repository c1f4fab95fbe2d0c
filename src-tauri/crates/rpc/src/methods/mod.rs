//! The methods, one file for each feature. A file has the types of its methods, their registration, and the
//! conversion of results whose shape differs from the domain's.
//!
//! Domain types are sent as they are. A type here ends in `View` or `Item` if its shape differs: it refers to files by
//! their place in the list that is shown, has paths as text, masks values, or leaves out what the page must not have.
//!
//! The TypeScript types are generated from these types (through the OpenRPC document), so the doc comments appear on
//! both sides.

mod agents;
mod changes;
mod chat;
mod chat_view;
mod commits;
mod data;
mod facts;
mod files;
mod findings;
mod history;
mod inbox;
mod lines;
mod merge_requests;
mod navigation;
mod opinions;
mod posting;
mod prepared;
mod program;
mod prompts;
mod queue;
mod repositories;
mod reviews;
mod rounds;
mod secrets;
mod settings;
mod stacks;
mod trust;
mod update;
mod versions;

use std::collections::HashMap;
use std::sync::Arc;

use jsonrpsee::RpcModule;
use serde_json::value::RawValue;

use crate::registry::{Kind, Table};
use crate::schemas::OPENRPC;
use diffsan_app::App;
use diffsan_queue::Queue;
use diffsan_updater::Updater;

/// All methods.
pub(crate) struct Built {
    pub(crate) module: RpcModule<Arc<App>>,
    /// The kinds of the methods. Subscriptions have none.
    pub(crate) kinds: HashMap<&'static str, Kind>,
    #[cfg(test)]
    pub(crate) description: crate::description::Description,
}

/// Returns all methods, and their description.
pub(crate) fn build(app: Arc<App>, updater: &Arc<Updater>) -> Built {
    let review_queue = Queue::new(Arc::clone(&app));
    let mut table = Table::new(app);
    for register in [
        program::register,
        repositories::register,
        agents::register,
        changes::register,
        lines::register,
        files::register,
        navigation::register,
        facts::register,
        prepared::register,
        prompts::register,
        reviews::register,
        findings::register,
        opinions::register,
        rounds::register,
        history::register,
        inbox::register,
        merge_requests::register,
        posting::register,
        secrets::register,
        chat::register,
        settings::register,
        trust::register,
        data::register,
        versions::register,
        commits::register,
        stacks::register,
    ] {
        register(&mut table);
    }
    queue::register(&mut table, &review_queue);
    update::register(&mut table, updater);
    let Table { mut module, kinds, .. } = table;
    let registered = module.register_method("rpc.discover", |_, _, _| serde_json::from_str::<&RawValue>(OPENRPC).ok());
    debug_assert!(registered.is_ok(), "rpc.discover is registered twice");
    Built {
        module,
        kinds,
        #[cfg(test)]
        description: table.description,
    }
}
