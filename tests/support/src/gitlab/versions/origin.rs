//! The repository of the corpus.

use std::ops::RangeInclusive;

use crate::repo::TestRepo;

/// Numbered lines with one ending.
fn lines(numbers: RangeInclusive<u32>, name: &str, ending: &str) -> String {
    numbers.map(|number| format!("{name} {number}{ending}")).collect()
}

/// Returns a repository with the branches `main` and `topic`, whose change has the files of `versions.toml`.
pub fn origin() -> TestRepo {
    let repo = TestRepo::new();
    repo.git(["config", "core.autocrlf", "false"]);
    // The mode of a file is set in the index.
    repo.git(["config", "core.fileMode", "false"]);
    repo.write("text.rs", lines(1..=60, "line", "\n"));
    repo.write("before.rs", lines(1..=40, "moved line", "\n"));
    repo.write("only_before.rs", lines(1..=10, "only moved line", "\n"));
    repo.write("deleted.rs", lines(1..=5, "deleted line", "\n"));
    repo.write("image.bin", [0, 1, 2, 3, 255]);
    repo.write("script.sh", "echo script\n");
    repo.write("crlf.txt", lines(1..=6, "windows line", "\r\n"));
    repo.write("no_newline.txt", "one\ntwo");
    repo.write("a folder/größe.rs", lines(1..=6, "größe", "\n"));
    repo.write("collapsed.txt", lines(1..=10, "collapsed line", "\n"));
    repo.write("large.txt", lines(1..=10, "large line", "\n"));
    repo.write("other.rs", lines(1..=6, "other line", "\n"));
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);

    // Line 10 is replaced by two lines, lines 30 and 31 are removed, and three lines follow line 44.
    let text = [
        lines(1..=9, "line", "\n"),
        lines(1..=2, "replacement", "\n"),
        lines(11..=29, "line", "\n"),
        lines(32..=44, "line", "\n"),
        lines(1..=3, "insertion", "\n"),
        lines(45..=60, "line", "\n"),
    ];
    repo.write("text.rs", text.concat());
    repo.git(["mv", "before.rs", "after.rs"]);
    let moved = [lines(1..=2, "moved line", "\n"), "changed\n".into(), lines(4..=40, "moved line", "\n")];
    repo.write("after.rs", moved.concat());
    repo.git(["mv", "only_before.rs", "only_after.rs"]);
    repo.git(["rm", "-q", "deleted.rs"]);
    repo.write("added.rs", lines(1..=4, "added line", "\n"));
    repo.write("empty.txt", "");
    repo.write("image.bin", [0, 1, 2, 4, 255]);
    repo.git(["update-index", "--chmod=+x", "script.sh"]);
    let windows =
        [lines(1..=1, "windows line", "\r\n"), lines(1..=2, "changed", "\r\n"), lines(3..=6, "windows line", "\r\n")];
    repo.write("crlf.txt", windows.concat());
    repo.write("no_newline.txt", "one\ntwo\nthree");
    let named = [lines(1..=1, "größe", "\n"), "changed\n".into(), lines(3..=6, "größe", "\n")];
    repo.write("a folder/größe.rs", named.concat());
    // About 35 KB and 350 KB of patch: above a tenth of the limit, and above the limit.
    repo.write("collapsed.txt", lines(1..=1500, "a longer collapsed line", "\n"));
    repo.write("large.txt", lines(1..=13_000, "a longer line of a large file", "\n"));
    repo.commit("topic");
    repo.git(["checkout", "-q", "main"]);
    repo
}
