//! Tests the folders in which commands run.

use super::reached;

/// The files of a project in which the name of the script is in several folders.
const FOLDERS: &[(&str, &str)] =
    &[("a.sh", "echo"), ("lib/a.sh", "curl x"), ("lib/in/a.sh", "rm x"), ("src/lib/b.sh", "rm y")];

/// Returns what the last line of a script reaches, without its line number.
fn last_line(path: &str, text: &str) -> Vec<String> {
    let files: Vec<(&str, &str)> = std::iter::once((path, text)).chain(FOLDERS.iter().copied()).collect();
    let (found, is_incomplete) = reached(&files);
    assert!(!is_incomplete, "{text}");
    let line = format!("{} ", text.lines().count());
    found.iter().filter_map(|found| found.strip_prefix(&line)).map(str::to_owned).collect()
}

#[test]
fn scripts_are_found_in_the_folder_that_the_script_is_in() {
    const LIB: &[&str] = &["http.request ./a.sh → curl"];
    const INNER: &[&str] = &["file.delete ./a.sh → rm"];
    const START: &[&str] = &[];
    for (text, expected) in [
        ("./a.sh", START),
        ("cd lib\n./a.sh", LIB),
        ("cd lib || exit 1\n./a.sh", LIB),
        ("cd -P lib/in\n./a.sh", INNER),
        ("cd lib; cd in\n./a.sh", INNER),
        ("cd lib/in; cd ..\n./a.sh", LIB),
        ("cd lib && ./a.sh", LIB),
        ("cd lib && cd in && ./a.sh", INNER),
        ("true && cd lib && ./a.sh", LIB),
        ("(cd lib; true)\n./a.sh", START),
        ("(cd lib && ./a.sh)", LIB),
        ("x=$(cd lib; ./a.sh)", LIB),
        ("cd lib | true\n./a.sh", START),
        ("cd lib &\n./a.sh", START),
        ("pushd lib >/dev/null; pushd in\npopd; ./a.sh", LIB),
        ("cd lib; cd -; ./a.sh", START),
        ("cd lib; sudo ./a.sh", &["http.request sudo → curl"]),
        ("command cd lib; ./a.sh", LIB),
        ("cd lib\nf() { ./a.sh; }\nf", &["http.request f → ./a.sh → curl"]),
        ("DIR=lib/in\ncd $DIR; ./a.sh", INNER),
        ("cd \"$(git rev-parse --show-toplevel)/lib\"; ./a.sh", LIB),
    ] {
        let found: Vec<String> =
            last_line("run.sh", text).into_iter().filter(|one| !one.contains("rev-parse")).collect();
        assert_eq!(found, expected, "{text}");
    }
    assert_eq!(last_line("src/run.sh", "cd \"$(dirname \"$0\")/../lib\"; ./a.sh"), LIB);
    assert_eq!(last_line("src/run.sh", "cd lib; bash b.sh")[0], "file.delete bash → rm");
}

#[test]
fn scripts_in_an_unknown_folder_are_open() {
    for text in [
        "cd \"$1\"\n./a.sh",
        "cd\n./a.sh",
        "popd\n./a.sh",
        "if x; then cd lib; fi\n./a.sh",
        "true && cd lib\n./a.sh",
        "for f in 1 2; do cd lib; done\n./a.sh",
        "while true; do ./a.sh; cd lib; done",
        "case $1 in x) cd lib ;; esac\n./a.sh",
        "f() { cd lib; }\nf\n./a.sh",
        "f() { ./a.sh; }\ncd lib; f",
        "f() { ./a.sh; }\n(cd lib; f)",
        "eval 'cd lib'\n./a.sh",
        "env -C lib ./a.sh",
        "cd /tmp\n./b.sh",
        "cd nowhere\n./b.sh",
    ] {
        let files: Vec<(&str, &str)> = std::iter::once(("run.sh", text)).chain(FOLDERS.iter().copied()).collect();
        let (found, _) = reached(&files);
        assert!(found.iter().any(|one| one.contains(" open ")), "{text}: {found:?}");
    }
}

#[test]
fn a_workflow_sets_the_folder_of_its_scripts() {
    let workflow = |defaults: &str, of_job: &str, of_step: &str| {
        format!("{defaults}\njobs:\n  a:\n{of_job}\n    steps:\n      - name: x\n{of_step}\n        run: ./a.sh")
    };
    let defaults = "defaults: { run: { working-directory: lib } }";
    let of_job = "    defaults: { run: { working-directory: lib/in } }";
    for (text, expected) in [
        (workflow("", "", ""), ""),
        (workflow(defaults, "", ""), "http.request ./a.sh → curl"),
        (workflow(defaults, of_job, ""), "file.delete ./a.sh → rm"),
        (workflow(defaults, of_job, "        working-directory: ./lib/"), "http.request ./a.sh → curl"),
        (workflow("", "", "        working-directory: ${{ github.workspace }}/lib"), "http.request ./a.sh → curl"),
    ] {
        assert_eq!(last_line(".github/workflows/x.yml", &text).join(""), expected, "{text}");
    }
    let found = last_line(".github/workflows/x.yml", &workflow("", "", "        working-directory: ${{ matrix.x }}"));
    assert!(found[0].starts_with("open "), "{found:?}");
    let found = last_line(".gitlab-ci.yml", "before_script:\n  - cd lib\na:\n  script:\n    - ./a.sh");
    assert!(found[0].starts_with("open "), "{found:?}");
}
