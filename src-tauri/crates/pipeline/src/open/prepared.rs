//! The prepared form of an opened change: masked, without folded hunks, and cut to the limits.

use std::collections::HashSet;
use std::thread;
use std::time::Instant;

use super::change::{OpenChange, millis};
use diffsan_change::Change;
use diffsan_change::parallel::joined;
use diffsan_config::Limits;
use diffsan_prepare::types::IgnoreReason;
use diffsan_prepare::{Plan, Prepared};
use diffsan_redact::{Session, types::Redacted, types::RedactionReport};
use diffsan_review::unsent::UnsentFiles;

/// The prepared form of a change, masked and cut.
pub struct PreparedChange {
    /// The whole change, masked.
    pub masked: Redacted<Change>,
    /// The part that fits the budget.
    pub prepared: Prepared,
    /// The report of the masked places.
    pub redaction: RedactionReport,
    /// The time of the preparation, in milliseconds.
    pub milliseconds: u64,
    session: Session,
}

impl PreparedChange {
    /// Returns a redaction session that knows the change's secrets, so that equal secrets get equal numbers.
    pub fn session(&self) -> Session {
        self.session.clone()
    }

    /// Returns the files of which a part was cut, or that the user did not select.
    pub fn unsent(&self) -> UnsentFiles {
        let cut = self.prepared.truncation.items.iter().map(|item| item.path.as_str());
        let ignored = self.prepared.ignored.iter().filter(|file| file.reason == IgnoreReason::NotSelected);
        UnsentFiles::new(cut.chain(ignored.map(|file| file.path.as_str())))
    }
}

impl OpenChange {
    /// Masks and cuts the change at the first call. Blocks.
    pub fn prepared(&self) -> &PreparedChange {
        self.prepared.get_or_init(|| {
            let started = Instant::now();
            let config = &self.settings.config;
            let mut session = self.redactor.session();
            // Masking and folding take the longest, and do not need each other.
            let (masked, plan) = thread::scope(|scope| {
                let plan = scope.spawn(|| self.plan_for(&config.limits));
                let masked = session.change(&self.change);
                (masked, joined(plan))
            });
            let prepared = diffsan_prepare::prepare(&self.change, &plan, &masked, &config.limits);
            PreparedChange { redaction: session.report(), masked, prepared, milliseconds: millis(started), session }
        })
    }

    /// Returns the plan without the folded hunks of the files that the limits allow. Blocks.
    fn plan_for(&self, limits: &Limits) -> Plan {
        let config = &self.settings.config;
        let mut plan = self.plan.clone();
        if config.prepare.leave_out_folded {
            plan.leave_out_folded(&self.change, self.folds(limits), limits);
        }
        if config.prompt.reading_order {
            let hunks = self.reading().chapters.iter().flat_map(|chapter| &chapter.hunks);
            let mut known = HashSet::new();
            let order: Vec<usize> = hunks.map(|hunk| hunk.at.file).filter(|file| known.insert(*file)).collect();
            plan.read_in(&order);
        }
        plan
    }

    /// Returns the masked change without the lines that are left out whatever the limits are. Blocks.
    pub fn sendable(&self, limits: &Limits) -> Redacted<Change> {
        let limits = Limits { max_files: 0, ..limits.clone() };
        let plan = self.plan_for(&limits);
        diffsan_prepare::sendable(&self.change, &plan, &self.prepared().masked, &limits)
    }

    /// Returns the prepared form with other limits. Limits that change the diff itself (`context`) require opening it again. Blocks.
    pub fn prepared_with(&self, limits: &Limits) -> Prepared {
        let plan = self.plan_for(limits);
        diffsan_prepare::prepare(&self.change, &plan, &self.prepared().masked, limits)
    }
}
