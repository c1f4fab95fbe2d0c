//! Reads the answer of a second opinion.

use serde_json::Value;

use super::decode::{Fields, named, read_quotes, text};
use super::{Fit, Invalid, PROBLEM_LIMIT, find_object};
use crate::opinion::{AgentOpinion, AgentOpinions, OpinionVerdict};

/// An answer with the opinions that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOpinions {
    /// The opinions that can be read.
    pub output: AgentOpinions,
    /// The problems as `path: message`, at most [`PROBLEM_LIMIT`]. An answer without problems is valid.
    pub problems: Vec<String>,
}

/// Reads an answer: strict JSON, otherwise a fenced block, otherwise the first suitable top-level object in the text.
pub fn read_opinions(text: &str) -> Result<ReadOpinions, Invalid> {
    let (value, _) = find_object(text, &fit)?;
    let (output, mut problems) = decode(&value);
    problems.truncate(PROBLEM_LIMIT);
    match output {
        Some(output) if problems.is_empty() || !output.opinions.is_empty() => Ok(ReadOpinions { output, problems }),
        _ => Err(Invalid { problems }),
    }
}

fn fit(value: &Value) -> Fit {
    match decode(value) {
        (Some(_), problems) if problems.is_empty() => Fit::Valid,
        (Some(output), _) if !output.opinions.is_empty() => Fit::Usable,
        (Some(_), _) => Fit::Similar,
        (None, _) => Fit::Other,
    }
}

fn decode(value: &Value) -> (Option<AgentOpinions>, Vec<String>) {
    let mut problems = Vec::new();
    let output = read(value, &mut problems);
    (output, problems)
}

fn read(value: &Value, problems: &mut Vec<String>) -> Option<AgentOpinions> {
    let mut fields = Fields::new(value, String::new(), problems)?;
    let list = fields.required("opinions", "a list", |value| value.as_array().cloned());
    fields.finish();
    let one = |(index, item): (usize, &Value)| read_opinion(item, &format!("opinions.{index}"), problems);
    Some(AgentOpinions { opinions: list?.iter().enumerate().filter_map(one).collect() })
}

fn read_opinion(value: &Value, path: &str, problems: &mut Vec<String>) -> Option<AgentOpinion> {
    let mut fields = Fields::new(value, path.to_owned(), problems)?;
    let finding = fields.required("finding", "a string", text);
    let verdict = fields.required("verdict", "one of holds, refuted, unsure", named::<OpinionVerdict>);
    let reason = fields.required("reason", "a string", text);
    let evidence = fields.required("evidence", "a list", |value| value.as_array().cloned());
    fields.finish();
    let evidence = read_quotes(&evidence?, &format!("{path}.evidence"), problems);
    Some(AgentOpinion { finding: finding?.trim().to_owned(), verdict: verdict?, reason: reason?, evidence })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"opinions":[{"finding":"a1","verdict":"Refuted","reason":"It is checked.","evidence":[]}]}"#;

    #[test]
    fn opinions_are_found_in_wrappers_of_agents() {
        for text in [
            GOOD.to_owned(),
            format!("```json\n{GOOD}\n```"),
            format!("I looked at {{x}}.\n{GOOD}\nDone."),
            serde_json::json!({ "type": "result", "result": GOOD }).to_string(),
        ] {
            let read = read_opinions(&text).expect("an answer");
            assert_eq!((read.output.opinions[0].verdict, read.problems.len()), (OpinionVerdict::Refuted, 0), "{text}");
        }
        assert!(read_opinions(r#"{"opinions":[]}"#).expect("valid").output.opinions.is_empty());
        for text in ["", "nothing", "[]", "{}", r#"{"opinions":3}"#, r#"{"opinions":[{}]}"#] {
            assert!(read_opinions(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_opinion_that_cannot_be_read_leaves_the_others() {
        let text = r#"{"opinions":[{"finding":"a1","verdict":"wrong","reason":"x","evidence":[]},
            {"finding":"a2","verdict":"holds","reason":"x","evidence":[{"path":"a.rs","line_start":"1","line_end":1,"quote":"x"}]}]}"#;
        let read = read_opinions(text).expect("usable");
        assert_eq!(read.output.opinions.iter().map(|one| one.finding.as_str()).collect::<Vec<_>>(), ["a2"]);
        expect_test::expect![[r#"
            opinions.0.verdict: expected one of holds, refuted, unsure
            opinions.1.evidence.0.line_start: expected an integer of 0 or more"#]]
        .assert_eq(&read.problems.join("\n"));
    }
}
