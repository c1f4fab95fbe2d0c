use std::path::Path;

use super::*;

/// Reports the first line.
struct FirstLine(mpsc::UnboundedSender<String>);

impl Protocol for FirstLine {
    fn begin(&mut self) -> (Vec<u8>, bool) {
        (Vec::new(), true)
    }

    fn line(&mut self, line: &str, _reply: &mut Vec<u8>) -> Flow {
        self.0.send(line.to_owned()).expect("a listener");
        Flow::Continue
    }
}

fn shell(script: &str, directory: &Path) -> Command {
    let second = Duration::from_secs(1);
    Command {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        environment: vec![("PATH".to_owned(), "/usr/bin:/bin".into())],
        directory: directory.to_owned(),
        deadlines: Deadlines { start: None, silence: None, total: 600 * second },
        max_output: 1024,
        confinement: None,
    }
}

/// A process that left its group and session, while the program itself runs.
const STRAY: &str = "setsid sh -c 'echo $$; exec sleep 1000' & wait";

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_dropped_run_leaves_no_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sender, mut lines) = mpsc::unbounded_channel();
    let mut protocol = FirstLine(sender);
    let cancel = CancellationToken::new();
    let stray = tokio::select! {
        ended = run(shell(STRAY, folder.path()), &cancel, &mut protocol) => panic!("{ended:?}"),
        line = lines.recv() => line.expect("a line"),
    };
    none_runs().await;
    let state = std::fs::read_to_string(format!("/proc/{stray}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[tokio::test]
async fn output_over_the_limit_ends_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sender, _lines) = mpsc::unbounded_channel();
    let cancel = CancellationToken::new();
    let ended = run(shell("while :; do echo output; done", folder.path()), &cancel, &mut FirstLine(sender)).await;
    assert!(matches!(ended, Err(ProcessError::OutputTooLong(_))), "{ended:?}");
}
