//! Takes the place of a running sandbox on systems that have none.

use std::io;
use std::os::unix::net::UnixStream;

use super::Mechanism;
use super::plan::SandboxPlan;
use super::receipt::Recorder;

/// A sandbox that cannot exist.
pub(crate) enum RunningSandbox {}

impl RunningSandbox {
    pub(crate) async fn new(
        _socket: UnixStream,
        _plan: &SandboxPlan,
        _mechanism: &Mechanism,
        _recorder: &Recorder,
    ) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) async fn end(self) {}
}
