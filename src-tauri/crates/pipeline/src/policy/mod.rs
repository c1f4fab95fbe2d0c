//! The policy: examines an opened change with the capability reviewer, in a review or for `diffsan policy`. It is read-only: no network,
//! no program except a classifier that the user enabled, and nothing is written except the run folder. A review also stores facts about
//! files in the data folder.

mod classify;
mod run;

use crate::error::Result;
use crate::open::OpenChange;
use diffsan_capability::knowledge::Knowledge;
use diffsan_policy::{Ask, Examined, Subject};

pub(crate) use classify::classify;
pub use run::{PolicyOutcome, PolicyRequest, policy};
pub(crate) use run::{bounds, knowledge};

/// Examines an opened change. If `stop` returns `true`, the examination ends early and the result says so. Blocks.
pub fn examine(
    opened: &OpenChange,
    knowledge: &Knowledge,
    ask: &Ask,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Examined> {
    let subject = Subject { files: opened.files(), plan: &opened.plan };
    Ok(diffsan_policy::examine(subject, opened.fresh_session(), knowledge, ask, stop)?)
}
