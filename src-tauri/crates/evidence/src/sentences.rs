//! Evidence of reading as sentences, for terminals, notes and documents.

use super::{AgentReading, FileAccess, Reading, UnreadFile};

/// The maximum number of paths in a sentence.
const MAX_NAMED: usize = 20;

impl Reading {
    /// Returns a sentence about the delivered hunks, one about each agent, and one about the parts that nobody read.
    pub fn sentences(&self) -> Vec<String> {
        let unread = self.unread();
        let agents = self.agents.iter().map(AgentReading::sentence);
        std::iter::once(self.delivery())
            .chain(agents)
            .chain((!unread.is_empty()).then(|| not_reviewed(&unread)))
            .collect()
    }

    /// Returns `34 of 36 hunks of 20 files were delivered in 2 prompts`.
    fn delivery(&self) -> String {
        let hunks = || self.files.iter().flat_map(|file| &file.hunks);
        let (all, delivered) = (hunks().count(), hunks().filter(|hunk| hunk.is_delivered()).count());
        let prompts = self.files.iter().flat_map(|file| &file.prompts).max().copied().unwrap_or(0);
        format!(
            "{delivered} of {} of {} delivered in {}",
            counted(all, "hunk"),
            counted(self.files.len(), "file"),
            counted(prompts as usize, "prompt")
        )
    }
}

impl AgentReading {
    /// Returns a sentence about the files that the agent opened.
    pub fn sentence(&self) -> String {
        let Self { events, access, opened, .. } = self;
        let agent = if self.title.is_empty() { &self.agent } else { &self.title };
        let why = self.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let files = counted(opened.len() + self.not_listed as usize, "file");
        let mut text = match (access, events) {
            (FileAccess::None, _) => format!("{agent} got no files to open"),
            (FileAccess::Observed, true) => format!("{agent} opened {files}"),
            (FileAccess::Observed, false) => {
                format!(
                    "{agent} does not report the files that it opens; the file system shows {files}, including searches"
                )
            }
            (FileAccess::NotObserved, true) => {
                format!("{agent} reports {files} as opened; the file system was not observed{why}")
            }
            (FileAccess::NotObserved, false) => {
                format!("{agent} does not report the files that it opens, and the file system was not observed{why}")
            }
        };
        text += &named(opened.iter().map(String::as_str));
        if !self.not_confirmed.is_empty() {
            let count = counted(self.not_confirmed.len(), "further file");
            let paths = named(self.not_confirmed.iter().map(String::as_str));
            text += &format!("; it reported {count} that it did not open{paths}");
        }
        text
    }
}

fn not_reviewed(unread: &[UnreadFile<'_>]) -> String {
    let file = |file: &UnreadFile<'_>| match file.hunks == file.of {
        true => file.path.to_owned(),
        false => format!("{} ({} of {})", file.path, file.hunks, counted(file.of, "hunk")),
    };
    let paths: Vec<String> = unread.iter().map(file).collect();
    format!("Not reviewed, neither delivered nor opened{}", named(paths.iter().map(String::as_str)))
}

fn named<'a>(paths: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = paths.len().saturating_sub(MAX_NAMED);
    let shown: Vec<&str> = paths.take(MAX_NAMED).collect();
    if shown.is_empty() {
        return String::new();
    }
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(": {}{more}", shown.join(", "))
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileReading, HunkReading};

    fn hunk(changed: u32, delivered: u32) -> HunkReading {
        let prompts = if delivered > 0 { vec![1] } else { Vec::new() };
        HunkReading { changed, delivered, prompts, ..HunkReading::default() }
    }

    fn file(path: &str, hunks: Vec<HunkReading>) -> FileReading {
        let prompts = if hunks.iter().any(|hunk| hunk.delivered > 0) { vec![1] } else { Vec::new() };
        FileReading { path: path.to_owned(), prompts, hunks }
    }

    #[test]
    fn parts_that_nobody_read_are_named() {
        let files = vec![
            file("a.rs", vec![hunk(2, 2), hunk(3, 1)]),
            file("b.rs", vec![hunk(2, 0)]),
            file("c.rs", vec![hunk(2, 0)]),
            file("image.png", Vec::new()),
        ];
        let agent = AgentReading {
            agent: "one".to_owned(),
            events: true,
            access: FileAccess::Observed,
            opened: vec!["c.rs".to_owned()],
            not_confirmed: vec!["b.rs".to_owned()],
            ..AgentReading::default()
        };
        let reading = Reading { files, agents: vec![agent] };
        assert_eq!(
            reading.sentences(),
            [
                "1 of 4 hunks of 4 files delivered in 1 prompt",
                "one opened 1 file: c.rs; it reported 1 further file that it did not open: b.rs",
                "Not reviewed, neither delivered nor opened: a.rs (1 of 2 hunks), b.rs, image.png",
            ]
        );
    }

    #[test]
    fn an_agent_without_file_events_is_named_as_such() {
        let agent = |events, access, reason: Option<&str>| AgentReading {
            agent: "one".to_owned(),
            events,
            access,
            reason: reason.map(str::to_owned),
            ..AgentReading::default()
        };
        let why = Some("this system offers no way");
        for (reading, sentence) in [
            (
                agent(false, FileAccess::Observed, None),
                "one does not report the files that it opens; the file system shows 0 files, including searches",
            ),
            (
                agent(false, FileAccess::NotObserved, why),
                "one does not report the files that it opens, and the file system was not observed (this system offers no way)",
            ),
            (
                agent(true, FileAccess::NotObserved, why),
                "one reports 0 files as opened; the file system was not observed (this system offers no way)",
            ),
            (agent(false, FileAccess::None, None), "one got no files to open"),
        ] {
            assert_eq!(reading.sentence(), sentence);
        }
    }
}
