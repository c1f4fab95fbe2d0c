//! The texts of a review, for masking.
//!
//! Each function names every field of its type. A new field does not compile until somebody decides whether it is text from an agent, a
//! person or a repository.

use crate::chapters::AgentChapter;
use crate::finding::{
    AgentFinding, AgentReviewOutput, Anchor, ChainHop, Claim, Edit, Evidence, Finding, Fix, SuggestedPatch,
};
use crate::intent::AgentRequirement;
use crate::quotes::CodeQuote;
use crate::sandbox::{SandboxConnection, SandboxReceipt};
use crate::stability::{RunCount, RunsResult};
use crate::{AgentResult, ReviewMeta, ReviewOutput, UnreadableFinding};

impl ReviewOutput {
    /// Calls `each` with every text of the review.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { summary_markdown, findings, intent, chapters, second_opinion, meta } = self;
        each(summary_markdown);
        findings.iter_mut().for_each(|finding| finding.for_each_text(each));
        intent.iter_mut().for_each(|requirement| requirement.for_each_text(each));
        chapters.iter_mut().for_each(|chapter| chapter.for_each_text(each));
        if let Some(second_opinion) = second_opinion {
            second_opinion.for_each_text(each);
        }
        meta.for_each_text(each);
    }
}

impl ReviewMeta {
    /// Calls `each` with every text of the facts.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self {
            // Digests and names of commits are not text.
            fingerprint: _,
            base_sha: _,
            head_sha: _,
            agent,
            agents,
            model,
            coverage,
            // `read_as` is one of a few fixed words.
            read_as: _,
            timings: _,
            token_usage: _,
            cost_usd: _,
            truncated: _,
            redaction_found: _,
            attempts: _,
            batches: _,
            unreadable,
            facts,
            reading,
            unsent,
            reviewed: _,
        } = self;
        unsent.for_each_text(each);
        if let Some(reading) = reading {
            reading.for_each_text(each);
        }
        if let Some(facts) = facts {
            facts.for_each_text(each);
        }
        [agent, coverage].into_iter().chain(model).for_each(&mut *each);
        for agent in agents {
            let AgentResult {
                name,
                model,
                error,
                findings: _,
                attempts: _,
                token_usage: _,
                cost_usd: _,
                sandbox,
                runs,
            } = agent;
            std::iter::once(name).chain(model).chain(error).for_each(&mut *each);
            if let Some(RunsResult { failed, answered: _, findings: _, in_every_run: _, agreement: _ }) = runs {
                failed.iter_mut().for_each(&mut *each);
            }
            if let Some(sandbox) = sandbox {
                sandbox.for_each_text(each);
            }
        }
        unreadable.iter_mut().for_each(|finding| finding.for_each_text(each));
    }
}

impl UnreadableFinding {
    /// Calls `each` with every text of the finding.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { agent, problems, text } = self;
        problems.iter_mut().chain([agent, text]).for_each(each);
    }
}

impl SandboxReceipt {
    /// Calls `each` with every text of the receipt.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { mechanism: _, reason, not_covered, readable, writable, saved, hosts, connections, exceeded } = self;
        let names =
            connections.iter_mut().map(|SandboxConnection { host, allowed: _, count: _, sent: _, received: _ }| host);
        let lists = [not_covered, readable, writable, saved, hosts].into_iter().flatten();
        lists.chain(names).chain(reason).chain(exceeded).for_each(each);
    }
}

impl Finding {
    /// Calls `each` with every text of the finding.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self {
            // Digests are not text.
            key: _,
            code: _,
            content,
            anchor: Anchor { path, notes, state: _, side: _, line_start: _, line_end: _, in_change: _ },
            sources,
            runs,
            verdict: _,
            claims,
            chain,
            fix,
            original,
            unedited_since,
        } = self;
        content.for_each_text(each);
        each(path);
        notes.iter_mut().chain(sources).chain(unedited_since).for_each(&mut *each);
        runs.iter_mut().for_each(|RunCount { agent, found: _, of: _, failed: _ }| each(agent));
        claims.iter_mut().for_each(|claim| claim.for_each_text(each));
        chain.iter_mut().for_each(|hop| hop.for_each_text(each));
        if let Some(Fix { path, edits }) = fix {
            each(path);
            for Edit { text, line_start: _, lines: _ } in edits {
                each(text);
            }
        }
        if let Some(original) = original {
            original.for_each_text(each);
        }
    }
}

impl Claim {
    /// Calls `each` with every text of the claim.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { claim, evidence, verdict: _ } = self;
        each(claim);
        if let Some(Evidence { path, text, line: _ }) = evidence {
            [path, text].into_iter().for_each(each);
        }
    }
}

impl ChainHop {
    /// Calls `each` with every text of the step.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { symbol, path, text, line: _ } = self;
        [symbol, path, text].into_iter().for_each(each);
    }
}

impl AgentReviewOutput {
    /// Calls `each` with every text of the answer.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { summary_markdown, findings, intent, chapters } = self;
        each(summary_markdown);
        findings.iter_mut().for_each(|finding| finding.for_each_text(each));
        let intent =
            intent.iter_mut().map(|AgentRequirement { requirement, verdict: _, evidence }| (requirement, evidence));
        let chapters = chapters.iter_mut().map(|AgentChapter { sentence, evidence }| (sentence, evidence));
        for (text, evidence) in intent.chain(chapters) {
            each(text);
            for CodeQuote { path, quote, line_start: _, line_end: _ } in evidence {
                [path, quote].into_iter().for_each(&mut *each);
            }
        }
    }
}

impl AgentFinding {
    fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self {
            finding_id,
            path,
            title,
            body_markdown,
            quote,
            suggested_patch,
            severity: _,
            category: _,
            line_start: _,
            line_end: _,
            side: _,
            confidence: _,
        } = self;
        [path, body_markdown].into_iter().for_each(&mut *each);
        finding_id.iter_mut().chain(title).chain(quote).for_each(&mut *each);
        if let Some(SuggestedPatch { content, format: _ }) = suggested_patch {
            each(content);
        }
    }
}
