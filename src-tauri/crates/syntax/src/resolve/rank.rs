//! Orders candidates: near files first, then code before tests.

use super::Place;
use crate::language::is_test;

/// Returns the candidates in order of likelihood, seen from a file.
pub(super) fn ranked(mut places: Vec<Place>, from: &str) -> Vec<Place> {
    let from_test = is_test(from);
    places.sort_by_cached_key(|place| {
        let shared = place.path.split('/').zip(from.split('/')).take_while(|(one, other)| one == other).count();
        let other_side = is_test(&place.path) && !from_test;
        (place.path != from, other_side, usize::MAX - shared, place.path.clone(), place.line)
    });
    places.dedup();
    places
}
