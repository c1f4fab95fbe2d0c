//! Finds the commits that `fixup!`, `squash!` and `amend!` commits are meant for, as `git rebase --autosquash` does.

/// The words at the beginning of a subject that name another commit.
const PREFIXES: [&str; 3] = ["fixup! ", "squash! ", "amend! "];
/// The minimum number of digits of an id that names a commit.
const MIN_ID: usize = 7;

/// Returns for each commit the index of the commit that it fixes, if it is a fixup of an earlier one. Each commit is given by its id and
/// its subject, oldest first. The rest of the subject is the subject of the other commit, its beginning, or its id.
pub fn fixups(commits: &[(&str, &str)]) -> Vec<Option<usize>> {
    (0..commits.len()).map(|at| fixed_by(commits, at)).collect()
}

fn fixed_by(commits: &[(&str, &str)], at: usize) -> Option<usize> {
    let named = named(commits[at].1)?;
    let earlier = || commits[..at].iter().enumerate().filter(|(_, (_, subject))| self::named(subject).is_none());
    let find = |fits: &dyn Fn(&str, &str) -> bool| earlier().find(|(_, (id, subject))| fits(id, subject));
    let is_id = named.len() >= MIN_ID && named.bytes().all(|byte| byte.is_ascii_hexdigit());
    let found = find(&|_, subject| subject == named)
        .or_else(|| find(&|id, _| is_id && id.starts_with(named)))
        .or_else(|| find(&|_, subject| subject.starts_with(named)));
    found.map(|(at, _)| at)
}

/// Returns the subject that a fixup names. A fixup of a fixup names the same commit as that one.
fn named(subject: &str) -> Option<&str> {
    let mut rest = subject;
    while let Some(next) = PREFIXES.iter().find_map(|prefix| rest.strip_prefix(prefix)) {
        rest = next.trim_start();
    }
    (rest.len() < subject.len() && !rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::fixups;

    fn fixed(subjects: &[&str]) -> Vec<Option<usize>> {
        let ids: Vec<String> = (0..subjects.len()).map(|at| format!("{at}abcdef0")).collect();
        fixups(&ids.iter().map(String::as_str).zip(subjects.iter().copied()).collect::<Vec<_>>())
    }

    #[test]
    fn fixups_name_the_earlier_commit_by_its_subject_its_beginning_or_its_id() {
        assert_eq!(fixed(&["Add a", "Add b", "fixup! Add a"]), [None, None, Some(0)]);
        assert_eq!(fixed(&["Add a", "squash! Add a", "amend! fixup! Add a"]), [None, Some(0), Some(0)]);
        assert_eq!(fixed(&["Add a parser", "Add", "fixup! Add"]), [None, None, Some(1)], "the whole subject first");
        assert_eq!(fixed(&["Add a parser", "fixup! Add a"]), [None, Some(0)]);
        assert_eq!(fixed(&["Add a", "fixup! 0abcdef0"]), [None, Some(0)]);
        // The other commit is later, missing, or not named.
        assert_eq!(fixed(&["fixup! Add a", "Add a", "fixup! Add c", "fixup! "]), [None, None, None, None]);
    }
}
