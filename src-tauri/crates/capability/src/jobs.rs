//! Calls that run code by the name of a class or an event: jobs, events and computed classes.

/// A call that starts a job.
pub(crate) struct JobCall {
    pub(crate) name: &'static str,
    /// The method of the job's class that runs. Empty for a job that is a function.
    pub(crate) method: &'static str,
    /// Whether the job is put into a queue.
    pub(crate) later: bool,
}

/// Methods that return a class by its name.
pub(crate) const COMPUTED_CLASSES: &[&str] = &["constantize", "safe_constantize", "const_get"];

/// Functions that give an event to the methods that listen to its class.
pub(crate) const PUBLISHERS: &[&str] = &["publishEvent", "event", "dispatch", "fire", "fireAsync"];

pub(crate) const JOB_CALLS: &[JobCall] = &[
    JobCall { name: "perform_later", method: "perform", later: true },
    JobCall { name: "perform_async", method: "perform", later: true },
    JobCall { name: "perform_in", method: "perform", later: true },
    JobCall { name: "perform_at", method: "perform", later: true },
    JobCall { name: "perform_now", method: "perform", later: false },
    JobCall { name: "dispatch", method: "handle", later: true },
    JobCall { name: "dispatchIf", method: "handle", later: true },
    JobCall { name: "dispatchAfterResponse", method: "handle", later: true },
    JobCall { name: "dispatchSync", method: "handle", later: false },
    JobCall { name: "delay", method: "", later: true },
    JobCall { name: "apply_async", method: "", later: true },
];
