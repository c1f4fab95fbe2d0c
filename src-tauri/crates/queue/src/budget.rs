//! The budget of a day: its used part, and whether another review fits.

use diffsan_config::{DayHours, QueueConfig};
use diffsan_inbox::amount;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_store::{QueueUsage, Store};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The budget of a day. A limit of 0 is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueueBudget {
    /// The local day, such as `2026-11-25`.
    pub day: String,
    /// The started reviews, and their limit.
    pub reviews: [u64; 2],
    /// The tokens, and their limit.
    pub tokens: [u64; 2],
    /// The cost in US cents, and its limit.
    pub cents: [u64; 2],
    /// The minutes that agents worked, and their limit.
    pub minutes: [u64; 2],
    /// The hours of the day in which the queue works. Empty for all.
    pub hours: String,
    /// Why no review can start now.
    pub reason: Option<String>,
}

/// The resources that a review is expected to need.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) tokens: u64,
    /// The cost in US dollars. 0 if it is unknown.
    pub(crate) cost: f64,
}

/// Whether a review fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fits {
    /// It fits.
    Now,
    /// It fits on another day or at another time.
    Later(String),
    /// It needs more than the budget of a whole day.
    Never(String),
}

/// Returns the local day.
pub(crate) fn day(now: &Zoned) -> String {
    now.date().to_string()
}

/// Returns the budget of today. Blocks.
pub(crate) fn view(store: &Store, config: &QueueConfig) -> Result<QueueBudget> {
    let now = Zoned::now();
    let used = store.queue_usage(&day(&now))?;
    Ok(QueueBudget {
        day: day(&now),
        reviews: [used.runs, config.reviews_per_day.into()],
        tokens: [used.tokens, config.tokens_per_day],
        cents: [cents(used.cost), config.cents_per_day.into()],
        minutes: [used.seconds / 60, config.minutes_per_day.into()],
        hours: config.hours.clone(),
        reason: closed(config, used, &now)?,
    })
}

/// Returns why no review can start now. Fails if the hours are not valid.
pub(crate) fn closed(config: &QueueConfig, used: QueueUsage, now: &Zoned) -> Result<Option<String>> {
    let hours = DayHours::parse(&config.hours).map_err(|message| {
        Error::new(ErrorCode::ConfigParseError, format!("queue.hours: {message}.")).hint("Correct queue.hours.")
    })?;
    let minute = u16::try_from(i32::from(now.hour()) * 60 + i32::from(now.minute())).unwrap_or(0);
    if hours.is_some_and(|hours| !hours.contains(minute)) {
        return Ok(Some(format!("the queue works from {}", config.hours.replace('-', " to "))));
    }
    let spent = |used: u64, limit: u64, name: &str| {
        (limit > 0 && used >= limit).then(|| format!("today's budget of {} is used", words(limit, name)))
    };
    Ok(spent(used.runs, config.reviews_per_day.into(), "review")
        .or_else(|| spent(used.tokens, config.tokens_per_day, "token"))
        .or_else(|| spent(cents(used.cost), config.cents_per_day.into(), "US cent"))
        .or_else(|| spent(used.seconds / 60, config.minutes_per_day.into(), "minute")))
}

/// Returns whether a review with an estimate fits into the rest of the day's budget.
pub(crate) fn fits(config: &QueueConfig, used: QueueUsage, estimate: Estimate) -> Fits {
    let check = |needed: u64, used: u64, limit: u64, name: &str| {
        if limit == 0 || needed + used <= limit {
            Fits::Now
        } else if needed > limit {
            Fits::Never(format!("needs about {}, more than the {limit} of a day", words(needed, name)))
        } else {
            Fits::Later(format!("needs about {}; {} left today", words(needed, name), limit.saturating_sub(used)))
        }
    };
    match check(estimate.tokens, used.tokens, config.tokens_per_day, "token") {
        Fits::Now => check(cents(estimate.cost), cents(used.cost), config.cents_per_day.into(), "US cent"),
        other => other,
    }
}

fn words(count: u64, name: &str) -> String {
    amount(usize::try_from(count).unwrap_or(usize::MAX), name)
}

/// Returns a cost in whole cents, rounded up. Every cost counts.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cost is small and not negative")]
fn cents(dollars: f64) -> u64 {
    // A sum of costs has rounding errors far below a cent.
    (dollars * 100.0 - 1e-6).ceil().max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> QueueConfig {
        QueueConfig {
            agent: String::new(),
            reviews_per_day: 3,
            tokens_per_day: 1_000,
            cents_per_day: 50,
            minutes_per_day: 10,
            hours: String::new(),
        }
    }

    fn at(time: &str) -> Zoned {
        format!("2026-11-25T{time}[UTC]").parse().expect("a time")
    }

    #[test]
    fn a_used_budget_and_closed_hours_have_a_reason() {
        let free = QueueUsage { runs: 2, tokens: 999, cost: 0.4, seconds: 599 };
        let reason = |used| closed(&config(), used, &at("12:00")).expect("valid").unwrap_or_default();
        assert_eq!(reason(free), "");
        assert_eq!(reason(QueueUsage { runs: 3, ..free }), "today's budget of 3 reviews is used");
        assert_eq!(reason(QueueUsage { tokens: 1_000, ..free }), "today's budget of 1000 tokens is used");
        assert_eq!(reason(QueueUsage { cost: 0.495, ..free }), "today's budget of 50 US cents is used");
        assert_eq!(reason(QueueUsage { seconds: 600, ..free }), "today's budget of 10 minutes is used");
        let night = QueueConfig { hours: "22:00-06:00".into(), ..config() };
        let reason = |time| closed(&night, free, &at(time)).expect("valid").unwrap_or_default();
        assert_eq!((reason("23:30").as_str(), reason("05:59").as_str()), ("", ""));
        assert_eq!(reason("06:00"), "the queue works from 22:00 to 06:00");
        assert!(closed(&QueueConfig { hours: "9-17".into(), ..config() }, free, &at("12:00")).is_err());
        let unlimited =
            QueueConfig { reviews_per_day: 0, tokens_per_day: 0, cents_per_day: 0, minutes_per_day: 0, ..config() };
        let much = QueueUsage { runs: 900, tokens: 1 << 40, cost: 1e6, seconds: 1 << 20 };
        assert_eq!(closed(&unlimited, much, &at("12:00")).expect("valid"), None);
    }

    #[test]
    fn a_review_fits_now_later_or_never() {
        let used = QueueUsage { runs: 1, tokens: 600, cost: 0.2, seconds: 0 };
        let of = |tokens, cost| fits(&config(), used, Estimate { tokens, cost });
        assert_eq!(of(400, 0.3), Fits::Now);
        assert_eq!(of(401, 0.0), Fits::Later("needs about 401 tokens; 400 left today".into()));
        assert_eq!(of(1_001, 0.0), Fits::Never("needs about 1001 tokens, more than the 1000 of a day".into()));
        assert!(matches!(of(1, 0.31), Fits::Later(_)) && matches!(of(1, 0.51), Fits::Never(_)));
    }
}
