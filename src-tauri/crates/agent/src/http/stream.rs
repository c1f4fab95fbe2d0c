//! Reads the body of a completion: server-sent events, or one JSON object where an endpoint does not stream.

use serde_json::Value;

use super::super::lines::{LineBuffer, MAX_LINE_BYTES, OutputTooLong};
use super::super::read::{NO_REASON, Reading};
use super::{OnEvent, StreamEvent};
use diffsan_config::HttpApi;
use diffsan_review::TokenUsage;

/// An event stream, or one JSON object where an endpoint does not stream.
pub(super) struct Stream {
    api: HttpApi,
    lines: LineBuffer,
    reading: Reading,
    /// The length of the answer that was reported.
    reported: usize,
    is_stream: bool,
    /// The body so far where it is not an event stream.
    body: String,
}

impl Stream {
    pub(super) fn new(api: HttpApi) -> Self {
        let lines = LineBuffer::new(MAX_LINE_BYTES);
        Self { api, lines, reading: Reading::default(), reported: 0, is_stream: false, body: String::new() }
    }

    pub(super) fn push(&mut self, chunk: &[u8], on_event: OnEvent<'_>) -> Result<(), OutputTooLong> {
        self.lines.push(chunk)?;
        while let Some(line) = self.lines.next_line() {
            self.line(&line, on_event);
        }
        Ok(())
    }

    fn line(&mut self, line: &str, on_event: OnEvent<'_>) {
        let Some(data) = line.strip_prefix("data:") else {
            if !self.is_stream && !line.starts_with("event:") && !line.starts_with(':') {
                self.body.push_str(line);
                self.body.push('\n');
            }
            return;
        };
        self.is_stream = true;
        if let Ok(event) = serde_json::from_str::<Value>(data.trim()) {
            if self.event(&event) {
                on_event(StreamEvent::Thinking);
            }
            self.report(on_event);
        } else if data.trim() == "[DONE]" {
            self.reading.completed = true;
        }
    }

    /// Reports the new part of the answer.
    fn report(&mut self, on_event: OnEvent<'_>) {
        let answer = self.reading.answer.as_deref().unwrap_or_default();
        if let Some(text) = answer.get(self.reported..).filter(|text| !text.is_empty()) {
            self.reported = answer.len();
            on_event(StreamEvent::Text(text));
        }
    }

    pub(super) fn finish(mut self, on_event: OnEvent<'_>) -> Reading {
        let rest = std::mem::replace(&mut self.lines, LineBuffer::new(0)).rest();
        if let Some(line) = rest {
            self.line(&line, on_event);
        }
        if !self.is_stream
            && let Ok(body) = serde_json::from_str::<Value>(&self.body)
        {
            match self.api {
                HttpApi::ChatCompletions => {
                    self.reading.answer = body["choices"][0]["message"]["content"].as_str().map(str::to_owned);
                    self.reading.usage = chat_usage(&body["usage"]);
                }
                HttpApi::Responses => self.response(&body),
            }
            self.fail(&body);
            self.reading.completed = self.reading.answer.is_some();
        }
        self.report(on_event);
        let mut reading = self.reading;
        if !reading.completed && reading.error.is_none() {
            reading.note = Some("stream disconnected before its end".to_owned());
        }
        reading.ended = true;
        reading
    }

    fn fail(&mut self, event: &Value) {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            let message = error["message"].as_str().or(error.as_str()).unwrap_or(NO_REASON);
            self.reading.error = Some(message.to_owned());
        }
    }

    /// Reads an event. Returns whether the model is thinking.
    fn event(&mut self, event: &Value) -> bool {
        self.fail(event);
        match self.api {
            HttpApi::ChatCompletions => self.chat_event(event),
            HttpApi::Responses => self.responses_event(event),
        }
    }

    fn chat_event(&mut self, event: &Value) -> bool {
        self.reading.usage = chat_usage(&event["usage"]).or(self.reading.usage);
        let choice = &event["choices"][0];
        match choice["finish_reason"].as_str() {
            Some("length") => self.reading.error = Some("the answer was truncated at the model's limit".to_owned()),
            Some("content_filter") => self.reading.error = Some("the provider's filter blocked the answer".to_owned()),
            Some(_) => self.reading.completed = true,
            None => {}
        }
        let delta = &choice["delta"];
        if delta["reasoning_content"].is_string() || delta["reasoning"].is_string() {
            return true;
        }
        self.append(&delta["content"]);
        false
    }

    fn responses_event(&mut self, event: &Value) -> bool {
        let response = &event["response"];
        match event["type"].as_str() {
            Some("response.output_text.delta") => self.append(&event["delta"]),
            Some("response.completed") => {
                self.response(response);
                self.reading.completed = true;
            }
            Some("response.failed" | "response.incomplete") => {
                let message =
                    response["error"]["message"].as_str().or(response["incomplete_details"]["reason"].as_str());
                self.reading.error = Some(message.unwrap_or("the answer failed").to_owned());
            }
            Some(kind) => return kind.contains("reasoning"),
            None => {}
        }
        false
    }

    fn append(&mut self, text: &Value) {
        if let Some(text) = text.as_str().filter(|text| !text.is_empty()) {
            self.reading.answer.get_or_insert_default().push_str(text);
        }
    }

    /// Reads a whole response: its texts and tokens.
    fn response(&mut self, response: &Value) {
        let parts = response["output"].as_array().into_iter().flatten().filter(|item| item["type"] == "message");
        let texts = parts.flat_map(|item| item["content"].as_array().into_iter().flatten());
        let text: String = texts.filter_map(|part| part["text"].as_str()).collect();
        if !text.is_empty() {
            self.reading.answer = Some(text);
        }
        let usage = &response["usage"];
        if let (Some(input), Some(output)) = (usage["input_tokens"].as_u64(), usage["output_tokens"].as_u64()) {
            let cached_input = usage["input_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0);
            self.reading.usage = Some(TokenUsage { input, cached_input, output });
        }
        self.reading.session = response["id"].as_str().map(str::to_owned);
    }
}

fn chat_usage(usage: &Value) -> Option<TokenUsage> {
    let (input, output) = (usage["prompt_tokens"].as_u64()?, usage["completion_tokens"].as_u64()?);
    let cached_input = usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0);
    Some(TokenUsage { input, cached_input, output })
}
