//! Second opinions: another look at each finding, by a prompt that tries to refute it.
//!
//! A verdict counts only with quoted code that is there. An opinion never removes a finding.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TokenUsage;
use crate::quotes::{CheckedQuote, CodeQuote};

/// Whether a finding is right, by a second look at the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OpinionVerdict {
    /// The code shows what the finding says.
    Holds,
    /// The code shows that it does not happen.
    Refuted,
    /// The code that was seen does not decide it.
    Unsure,
}

impl OpinionVerdict {
    /// Returns the verdict as text for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Refuted => "refuted",
            Self::Unsure => "unsure",
        }
    }
}

/// An opinion as an agent answers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentOpinion {
    /// The key of the finding.
    pub finding: String,
    /// Whether the finding is right.
    pub verdict: OpinionVerdict,
    /// Why, in at most three sentences.
    pub reason: String,
    /// The code that decides it.
    pub evidence: Vec<CodeQuote>,
}

/// An agent's whole answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentOpinions {
    /// One opinion for each finding.
    pub opinions: Vec<AgentOpinion>,
}

/// A second opinion on a finding, with checked evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Opinion {
    /// The key of the finding.
    pub finding: String,
    /// The verdict that the evidence supports.
    pub verdict: OpinionVerdict,
    /// The verdict that the agent gave.
    pub answered: OpinionVerdict,
    /// The agent's reason, masked.
    pub reason: String,
    /// The code that decides it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<CheckedQuote>,
    /// The number of quotes that are not in the code.
    #[serde(default)]
    pub unproven: u32,
    /// The name of the agent.
    pub agent: String,
    /// The requested model, if one was named.
    #[serde(default)]
    pub model: Option<String>,
    /// The time (RFC 3339).
    pub given_at: String,
    /// The verdict of the opinion that this one replaced, if it was another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<OpinionVerdict>,
    /// Whether it was given in an earlier review, on the same code.
    #[serde(default)]
    pub remembered: bool,
}

/// The second opinions of a review.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondOpinion {
    /// The opinions, one for a finding at most.
    pub opinions: Vec<Opinion>,
    /// The number of findings that were asked about and got no opinion.
    #[serde(default)]
    pub unanswered: u32,
    /// The number of findings that were not asked about, because they were over the limits.
    #[serde(default)]
    pub left_out: u32,
    /// The number of tokens that the agents reported, if any.
    #[serde(default)]
    pub token_usage: Option<TokenUsage>,
    /// The reported cost in US dollars.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// The reason why opinions are missing, if an agent failed or the user cancelled it.
    #[serde(default)]
    pub error: Option<String>,
}

impl SecondOpinion {
    /// Returns the opinion on a finding.
    pub fn of(&self, key: &str) -> Option<&Opinion> {
        self.opinions.iter().find(|one| one.finding == key)
    }

    /// Adds newer opinions. One replaces an earlier one on the same finding, and tells its verdict if that was another one. Others are among
    /// those that were missing.
    pub fn add(&mut self, newer: Self) {
        let Self { opinions, unanswered, left_out, token_usage, cost_usd, error } = newer;
        let mut missing = u32::try_from(opinions.len()).unwrap_or(u32::MAX);
        for mut opinion in opinions {
            match self.opinions.iter_mut().find(|one| one.finding == opinion.finding) {
                Some(known) => {
                    missing -= 1;
                    opinion.previous = (known.verdict != opinion.verdict).then_some(known.verdict);
                    *known = opinion;
                }
                None => self.opinions.push(opinion),
            }
        }
        // An opinion on another finding is one of those that were missing.
        let found = missing.min(self.unanswered);
        self.unanswered = self.unanswered - found + unanswered;
        self.left_out = self.left_out.saturating_sub(missing - found) + left_out;
        let earlier = self.error.take().filter(|_| self.unanswered > 0);
        self.error = error.or(earlier);
        self.token_usage = match (self.token_usage, token_usage) {
            (Some(a), Some(b)) => Some(a.plus(b)),
            (one, other) => one.or(other),
        };
        self.cost_usd = match (self.cost_usd, cost_usd) {
            (Some(a), Some(b)) => Some(a + b),
            (one, other) => one.or(other),
        };
    }

    /// Returns the number of opinions with a verdict.
    pub fn count(&self, verdict: OpinionVerdict) -> usize {
        self.opinions.iter().filter(|one| one.verdict == verdict).count()
    }

    /// Calls `each` with every text.
    pub(crate) fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { opinions, unanswered: _, left_out: _, token_usage: _, cost_usd: _, error } = self;
        for opinion in opinions {
            let Opinion {
                // A key is a digest, and a time is not text.
                finding: _,
                given_at: _,
                verdict: _,
                answered: _,
                reason,
                evidence,
                unproven: _,
                agent,
                model,
                previous: _,
                remembered: _,
            } = opinion;
            [reason, agent].into_iter().chain(model).for_each(&mut *each);
            evidence.iter_mut().for_each(|quote| quote.for_each_text(each));
        }
        error.iter_mut().for_each(each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opinion(finding: &str, verdict: OpinionVerdict) -> Opinion {
        Opinion {
            finding: finding.to_owned(),
            verdict,
            answered: verdict,
            reason: String::new(),
            evidence: Vec::new(),
            unproven: 0,
            agent: "codex".to_owned(),
            model: None,
            given_at: String::new(),
            previous: None,
            remembered: false,
        }
    }

    #[test]
    fn a_newer_opinion_replaces_the_earlier_one_and_tells_its_verdict() {
        use OpinionVerdict::{Holds, Refuted};
        let of = |opinions| SecondOpinion { opinions, ..SecondOpinion::default() };
        let mut all = of(vec![opinion("a", Refuted), opinion("b", Holds)]);
        all.add(of(vec![opinion("a", Holds), opinion("b", Holds), opinion("c", Refuted)]));
        let known: Vec<_> = all.opinions.iter().map(|one| (one.finding.as_str(), one.verdict, one.previous)).collect();
        assert_eq!(known, [("a", Holds, Some(Refuted)), ("b", Holds, None), ("c", Refuted, None)]);
    }

    #[test]
    fn a_later_opinion_is_no_longer_missing() {
        let one = |key: &str| SecondOpinion {
            opinions: vec![opinion(key, OpinionVerdict::Holds)],
            ..SecondOpinion::default()
        };
        let error = Some("The agent is not signed in.".to_owned());
        let mut all = SecondOpinion { unanswered: 1, left_out: 1, error: error.clone(), ..one("a") };
        all.add(one("a"));
        assert_eq!((all.unanswered, all.left_out, &all.error), (1, 1, &error), "it was there before");
        all.add(one("b"));
        assert_eq!((all.unanswered, all.left_out, &all.error), (0, 1, &None));
        all.add(one("c"));
        assert_eq!((all.unanswered, all.left_out), (0, 0));
        all.add(SecondOpinion { unanswered: 2, error: error.clone(), ..SecondOpinion::default() });
        assert_eq!((all.unanswered, &all.error), (2, &error));
    }
}
