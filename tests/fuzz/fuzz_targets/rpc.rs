//! Calls of any methods, in any order, with parameters of the right types. The core has reviews, conversations, a posting plan and a merge
//! request. Every method must get as far as a result before the fuzzer begins.
#![no_main]
#![allow(clippy::panic, clippy::print_stderr, missing_docs, reason = "a fuzz target fails by panicking")]

use std::cell::RefCell;
use std::collections::BTreeSet;

use diffsan_fuzz::calls::{Method, Methods, Values};
use diffsan_fuzz::core::Core;
use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

/// The number of tries with different parameters after which a method counts as one without a result.
const MAX_TRIES: u64 = 60;
/// The number of calls after which the state is restored.
const MAX_CALLS: usize = 60;

struct World {
    core: Core,
    methods: Methods,
    values: Values,
    calls: usize,
}

thread_local! {
    static WORLD: RefCell<World> = RefCell::new(start());
}

impl World {
    /// Calls a method and returns whether there was a result.
    fn call(&mut self, at: usize, data: &mut Unstructured<'_>) -> Result<(), String> {
        let Method { name, unsubscribe, .. } = &self.methods.all[at];
        let params = self.methods.params(&self.methods.all[at], &self.values, data);
        let result = self.core.call(name, &params).map_err(|error| format!("{error} for {params}"))?;
        self.values.learn(name, &result);
        if let Some(unsubscribe) = unsubscribe {
            self.core.call(unsubscribe, &json!([result])).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.values = self.core.reset();
        self.calls = 0;
    }
}

fn start() -> World {
    let (core, values) = Core::start();
    let mut world = World { core, methods: Methods::new(), values, calls: 0 };
    let (mut reached, mut missing) = (0, BTreeSet::new());
    for at in 0..world.methods.all.len() {
        // Without random data, the parameters are the most probable ones.
        let mut first = String::new();
        let found = (0..MAX_TRIES).any(|seed| {
            let bytes = random(seed, at);
            if seed % 8 == 7 {
                world.reset();
            }
            let tried = world.call(at, &mut Unstructured::new(if seed == 0 { &[] } else { &bytes }));
            tried
                .map_err(|error| {
                    if first.is_empty() {
                        first = error
                    }
                })
                .is_ok()
        });
        if found {
            reached += 1;
        } else {
            missing.insert(format!("{}: {first}", world.methods.all[at].name));
        }
        if let "data.remove" | "history.remove" | "chat.remove" | "settings.set" = world.methods.all[at].name.as_str() {
            world.reset();
        }
    }
    eprintln!("methods with a result: {reached} of {}", world.methods.all.len());
    assert!(missing.is_empty(), "no result: {missing:#?}");
    world.reset();
    world
}

/// Returns bytes that differ for each seed.
fn random(seed: u64, at: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ at as u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..400).map(next).collect()
}

fuzz_target!(|data: &[u8]| WORLD.with_borrow_mut(|world| {
    let mut data = Unstructured::new(data);
    for _ in 0..4 {
        if data.is_empty() {
            break;
        }
        let at = data.int_in_range(0..=world.methods.all.len() - 1).unwrap_or_default();
        // An error is an answer, too.
        let _ = world.call(at, &mut data);
        world.calls += 1;
    }
    if world.calls >= MAX_CALLS {
        world.reset();
    }
}));
