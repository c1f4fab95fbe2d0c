//! The likely range of a share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The quantile of the normal distribution for 95% confidence.
const Z: f64 = 1.959_963_984_540_054;

/// A range in which a share lies with 95% confidence, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Interval {
    /// Returns the interval of `hits` among `all` trials, by Wilson's method (Wilson 1927). It is also valid for few trials, and for shares
    /// near 0 and 1.
    pub fn wilson(hits: u32, all: u32) -> Self {
        if all == 0 {
            return Self { low: 0.0, high: 1.0 };
        }
        let (hits, all) = (f64::from(hits.min(all)), f64::from(all));
        let share = hits / all;
        let scale = 1.0 + Z * Z / all;
        let centre = (share + Z * Z / (2.0 * all)) / scale;
        let half = Z / scale * (share * (1.0 - share) / all + Z * Z / (4.0 * all * all)).sqrt();
        Self { low: (centre - half).clamp(0.0, 1.0), high: (centre + half).clamp(0.0, 1.0) }
    }

    /// Returns `62% to 91%`.
    pub fn text(&self) -> String {
        format!("{:.0}% to {:.0}%", self.low * 100.0, self.high * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn intervals_are_those_of_the_literature() {
        // Newcombe (1998), Statistics in Medicine 17, table I: method 3.
        for (hits, all, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let found = Interval::wilson(hits, all);
            assert!(
                (found.low - low).abs() < 0.00005 && (found.high - high).abs() < 0.00005,
                "{hits}/{all}: {found:?}"
            );
        }
        assert_eq!(Interval::wilson(0, 0), Interval { low: 0.0, high: 1.0 });
        assert_eq!(Interval::wilson(8, 10).text(), "49% to 94%");
    }

    proptest! {
        #[test]
        fn the_share_is_inside_and_more_trials_say_more(all in 1..2000_u32, part in 0.0..=1.0_f64) {
            let hits = (f64::from(all) * part) as u32;
            let one = Interval::wilson(hits, all);
            let share = f64::from(hits) / f64::from(all);
            prop_assert!(one.low <= share + 1e-12 && share <= one.high + 1e-12);
            let more = Interval::wilson(hits * 4, all * 4);
            prop_assert!(more.high - more.low <= one.high - one.low + 1e-12);
        }
    }
}
