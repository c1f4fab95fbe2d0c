//! Sends threads, several at a time, and the summary.

use std::time::Duration;

use futures::StreamExt as _;

use super::posted::PostedComments;
use super::types::SUMMARY;
use super::{AT_ONCE, Posting, posting_error};
use diffsan_forge::gitlab::{Discussion, GitlabError, Landing, Position, RangeForm, ServerVersion};
use diffsan_forge::post_plan::PlannedItem;
use diffsan_pipeline::error::{Error, ErrorCode};

impl Posting<'_> {
    /// Posts each item as a thread.
    pub(super) async fn send_discussions(&mut self, items: &[&PlannedItem]) {
        let (client, project, iid) = (self.request.client, self.request.project, self.request.iid);
        let sent = |posting: &mut Self, key: &str, thread: Discussion| {
            if let Some(note) = thread.notes.first() {
                posting.board.landed(key, note.id);
                posting.journal(key, "landed", Some(note.id), None);
                posting.notify_item(key);
            }
        };
        self.send_each(
            "Posting",
            items,
            false,
            |item, position, form| client.post_discussion(project, iid, &item.body, position, form),
            sent,
        )
        .await;
    }

    /// Sends items, at most [`AT_ONCE`] at a time, until the posting stops. Calls `sent` with the key and the answer of
    /// each success.
    pub(super) async fn send_each<'item, Answer, Request>(
        &mut self,
        doing: &str,
        items: &[&'item PlannedItem],
        drafts: bool,
        send: impl Fn(&'item PlannedItem, &'item Position, RangeForm) -> Request,
        sent: impl Fn(&mut Self, &str, Answer),
    ) where
        Request: Future<Output = Result<Answer, GitlabError>>,
    {
        let client = self.request.client;
        self.step(&format!("{doing} {} comments", items.len()));
        let mut rest = items.iter();
        let mut under_way = futures::stream::FuturesUnordered::new();
        let mut done = 0;
        loop {
            while under_way.len() < AT_ONCE
                && !self.board.stopped()
                && !self.context.cancel.is_cancelled()
                && let Some(&item) = rest.next()
            {
                let Some(position) = position(item) else { continue };
                self.sending(&item.key);
                let form = self.form(&item.key, drafts);
                let request = send(item, position, form);
                under_way.push(async move { (item, form, request.await) });
            }
            let Some((item, form, answer)) = under_way.next().await else { break };
            match answer {
                Ok(answer) => sent(self, &item.key, answer),
                Err(GitlabError::PositionForm(message)) => {
                    client.forget_version();
                    let has_range = position(item).is_some_and(|position| position.line_range.is_some());
                    if has_range && form > RangeForm::Absent {
                        // The next round sends it again.
                        self.board.reduce(&item.key, form.reduced());
                    } else {
                        self.refused(&item.key, GitlabError::Position(message));
                    }
                }
                Err(error) => self.refused(&item.key, error),
            }
            done += 1;
            self.progress(doing, done, items.len());
        }
    }

    /// Returns the parts of a range that are sent: those that the version accepts, without parts that it has refused. An
    /// unknown version is taken for the newest.
    fn form(&self, key: &str, draft: bool) -> RangeForm {
        let accepts_numbers = self.version.is_none_or(|version| version.accepts_range_numbers(draft));
        let accepted = if accepts_numbers { RangeForm::Numbers } else { RangeForm::Codes };
        self.board.form(key).map_or(accepted, |form| form.min(accepted))
    }

    /// Posts the summary, or replaces the existing one.
    pub(super) async fn send_summary(&mut self, landed: &PostedComments) {
        let Some(summary) = &self.request.plan.summary else { return };
        self.step("Posting the summary");
        let (client, project, iid) = (self.request.client, self.request.project, self.request.iid);
        let there = landed.summary.as_ref().or(landed.replaced.as_ref());
        let more = self.board.inside(there, &landed.commented);
        let body = summary.body(&more, self.request.markers);
        // Another posting may have added findings to the note since the plan was made. They must not be lost.
        let planned = |key: &String| more.iter().copied().chain(summary.contents()).any(|item| item.key == *key);
        let keeps_all =
            there.is_none_or(|note| note.carries.iter().all(|key| planned(key) || landed.commented.contains(key)));
        self.sending(SUMMARY);
        let sent = match there {
            Some(_) if !keeps_all && landed.summary.is_some() => {
                let message = "The summary of this review has changed since this posting was planned.";
                self.not_sent(SUMMARY, &Error::new(ErrorCode::GitlabPostFailed, message).hint("Plan it again."));
                return;
            }
            Some(there) if keeps_all => match client.edit_note(project, iid, there.note, &body).await {
                // The summary was removed, or belongs to another user: post a new one.
                Err(GitlabError::NotFound(_) | GitlabError::Forbidden(_)) if landed.summary.is_none() => {
                    client.post_note(project, iid, &body).await
                }
                sent => sent,
            },
            _ => client.post_note(project, iid, &body).await,
        };
        match sent {
            Ok(note) => {
                self.board.landed(SUMMARY, note.id);
                self.journal(SUMMARY, "landed", Some(note.id), None);
                self.notify_item(SUMMARY);
            }
            Err(error) => self.refused(SUMMARY, error),
        }
    }

    /// Handles an error of sending an item. The item may have been posted despite the error.
    pub(super) fn refused(&mut self, key: &str, error: GitlabError) {
        if let GitlabError::Limited(seconds) = error {
            self.board.ask_wait(seconds.map(Duration::from_secs));
        } else if error.is_transient() || error.may_have_landed() {
            self.board.ask_wait(None);
        }
        // Every further request with this token would fail, too.
        let stops =
            matches!(error, GitlabError::Unauthorized(_) | GitlabError::Forbidden(_) | GitlabError::Settings(_));
        let again = error.is_transient() || error.may_have_landed();
        let was_stopped = error == GitlabError::Stopped;
        let mut error = posting_error(error);
        error.retryable = again;
        if was_stopped {
            error.message = "The posting was stopped before GitLab answered. This comment may be posted.".to_owned();
        }
        if stops {
            self.board.stop(&error);
        }
        self.not_sent(key, &error);
    }

    /// Records that an item was not sent.
    fn not_sent(&mut self, key: &str, error: &Error) {
        self.journal(key, "failed", None, Some(error.message.clone()));
        let on_file = self.version.is_none_or(ServerVersion::has_file_comments);
        self.board.fail(key, error, self.request, on_file);
        self.notify_item(key);
    }
}

pub(super) fn position(item: &PlannedItem) -> Option<&Position> {
    match &item.landing {
        Landing::Line { position } | Landing::File { position } => Some(position),
        Landing::Summary => None,
    }
}
