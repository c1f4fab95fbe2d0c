//! The settings of the inbox and of its review queue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InboxConfig {
    /// The number of merge requests that wait for you whose changes are fetched in the background. 0 for none.
    #[schemars(range(min = 0, max = 50))]
    pub prefetch: u32,
    /// Whether a notification tells when a merge request comes to wait for you.
    pub notify: bool,
    /// The hours without notifications, such as `20:00-08:00`. Empty for none.
    pub quiet_hours: String,
}

/// The queue that reviews rows of the inbox in the background. 0 disables a limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueueConfig {
    /// The agent that is asked if none is chosen. Empty for the configured one.
    pub agent: String,
    /// The maximum number of reviews in a day.
    pub reviews_per_day: u32,
    /// The maximum number of tokens in a day, of prompts and answers.
    pub tokens_per_day: u64,
    /// The maximum cost in a day, in US cents. A review whose cost is unknown does not count.
    pub cents_per_day: u32,
    /// The maximum time that agents work in a day, in minutes.
    #[schemars(range(min = 0, max = 1440))]
    pub minutes_per_day: u32,
    /// The hours of the day in which it works, such as `22:00-06:00`. Empty for all.
    pub hours: String,
}

/// A range of hours of the day. It may pass midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayHours {
    start: u16,
    end: u16,
}

impl DayHours {
    /// Parses a range such as `22:00-06:00`. Returns `None` for an empty text. The error is a description.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let minute = |text: &str| {
            let (hour, minute) = text.trim().split_once(':')?;
            let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
            (hour <= 24 && minute < 60 && hour * 60 + minute <= 24 * 60).then_some(hour * 60 + minute)
        };
        let range = text.split_once('-').and_then(|(start, end)| Some((minute(start)?, minute(end)?)));
        match range {
            Some((start, end)) if start != end => Ok(Some(Self { start, end })),
            _ => Err(format!("`{text}` is not a range of hours such as 22:00-06:00")),
        }
    }

    /// Returns whether a minute of the day, from 0 to 1439, is in the range.
    pub fn contains(self, minute: u16) -> bool {
        if self.start < self.end {
            (self.start..self.end).contains(&minute)
        } else {
            minute >= self.start || minute < self.end
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DayHours;

    #[test]
    fn a_range_of_hours_may_pass_midnight() {
        let within = |text: &str, minute| DayHours::parse(text).expect("valid").expect("a range").contains(minute);
        assert!(within("22:00-06:00", 23 * 60) && within("22:00-06:00", 5 * 60 + 59));
        assert!(!within("22:00-06:00", 6 * 60) && !within("22:00-06:00", 12 * 60));
        assert!(within("09:00-17:30", 17 * 60 + 29) && !within("9:00-17:30", 17 * 60 + 30));
        assert!(within("18:00-24:00", 1439));
        assert_eq!(DayHours::parse(" "), Ok(None));
        for wrong in ["9-17", "09:00", "25:00-06:00", "09:60-10:00", "24:30-06:00", "09:00-09:00", "x"] {
            assert!(DayHours::parse(wrong).is_err(), "{wrong}");
        }
    }
}
