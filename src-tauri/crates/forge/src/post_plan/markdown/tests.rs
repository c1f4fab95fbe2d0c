use super::*;

fn inert(text: &str) -> String {
    let written = neutral(text);
    assert_eq!(check(&Note::text(&written)), Ok(()), "{text:?} became {written:?}");
    assert_eq!(neutral(&written).replace("\\", ""), written.replace("\\", ""), "written again: {written:?}");
    written
}

#[test]
fn quick_actions_do_not_begin_their_line() {
    assert_eq!(inert("/approve\n /merge\ntext /close"), "\\/approve\n\\/merge\ntext /close");
    assert_eq!(inert("```\n/approve\n```"), "```\n /approve\n```", "older versions do not know all fences");
    assert_eq!(inert("~~~\n/approve\n~~~"), "```\n /approve\n```");
    assert_eq!(inert("```rust\n/usr/bin/env"), "```rust\n/usr/bin/env\n```", "an open block is closed");
    assert_eq!(inert("\r/approve"), "\\/approve");
    assert_eq!(inert("- /close\n- > /merge"), "- \\/close\n- > \\/merge");
}

#[test]
fn mentions_and_references_are_disabled() {
    assert_eq!(inert("ask @alice, see #12 and a/b!34"), "ask `@alice`, see `#12` and `a/b!34`");
    assert_eq!(inert("`@bob` stays"), "`@bob` stays");
    assert_eq!(inert("`x`@bob`y`"), "`x` `@bob` `y`");
    assert_eq!(inert("~bug %\"v 1\" 0123abcdef"), "`~bug` `%\"v 1\"` `0123abcdef`");
    assert_eq!(inert("&commat;jane &#x40;jane &#64;jane"), "`@jane` `@jane` `@jane`");
    assert_eq!(inert("\\@jane &amp;commat;jane"), "`@jane` \\&commat;jane");
    assert_eq!(inert("50 % of 10 users"), "50 % of 10 users");
    assert_eq!(inert("[x](@jane) [y](#12)"), "x (`@jane`) y (`#12`)");
    assert_eq!(
        inert("https://gitlab.example.com/a/b/-/issues/1 and https://docs.rs/serde"),
        "`https://gitlab.example.com/a/b/-/issues/1` and <https://docs.rs/serde>"
    );
}

#[test]
fn html_pictures_and_suggestions_are_text() {
    assert_eq!(inert("a <img src=x> ![a](http://x/y.png)"), "a \\<img src=x> \\![a](<http://x/y.png>)");
}

#[test]
fn folds_are_preserved_and_closed() {
    assert_eq!(
        inert("<details><summary>More</summary>\n\nx\n\n</details>"),
        "<details><summary>More</summary>\n\nx\n\n</details>"
    );
    assert_eq!(inert("<details>\nx"), "<details><summary>Details</summary>\n\nx\n\n</details>");
    assert_eq!(inert("a</details>b"), "a\\</details>b");
    assert_eq!(inert("```suggestion:-0+3\nx\n```"), "```\nx\n```");
    assert_eq!(inert("[link](https://a.b/c)"), "[link](<https://a.b/c>)");
}

#[test]
fn code_blocks_are_preserved_and_cannot_be_escaped() {
    let code = "````md\n```\n@alice <b> #1\n```\n````";
    assert_eq!(inert(code), code);
    assert_eq!(inert("a `x` b ``y ` z`` c ` d"), "a `x` b ``y ` z`` c \\` d");
}

#[test]
fn formatting_is_preserved() {
    for text in [
        "# Title\n\nText with **strong**, *soft*, ~~gone~~ and `code`.",
        "- one\n- two\n  - three\n\n1. first\n2. second",
        "| a | b |\n| --- | :-: |\n| `x` | y |",
        "> quote\n>\n> more",
        "Vec\\<T> and snake_case and a \\| b",
        "```rust\nfn main() {}\n```\n\n***\n\nline\\\nnext",
    ] {
        let again = inert(text);
        assert_eq!(again, neutral(&again), "written again");
        let words = |text: &str| text.replace(['\n', ' '], "");
        assert_eq!(words(&again), words(text));
    }
}

#[test]
fn a_line_begins_no_block() {
    for text in [
        "# a",
        "- a",
        "~~~",
        "```",
        "````` x",
        "> /merge",
        "1. a",
        "| a |",
        "<details>",
        "[a]: http://b",
        "/merge",
        "---",
    ] {
        let written = neutral_line(text);
        assert!(!written.contains('\n') && !written.is_empty(), "{text:?} became {written:?}");
        let note = format!("**[security/high]** {written}\n\n/merge @jane\n\n{written}");
        assert!(check(&Note::text(&note)).is_err(), "what follows {written:?} is seen");
        let note = format!("**[security/high]** {written}\n\ntext\n\n**[x]** {written}");
        assert_eq!(check(&Note::text(&note)), Ok(()), "{written:?}");
    }
}

#[test]
fn active_markdown_is_detected() {
    for text in [
        "/merge",
        "a\n/close",
        "@jane",
        "&commat;jane",
        "#1",
        "![x](http://a/b)",
        "<b>",
        "<!-- diffsan:finding:k -->",
        "~~~\nx\n~~~ y",
        "```suggestion\nx\n```",
        "```mermaid\nx\n```",
        "[x](@jane)",
        "<details>\n\nx",
        "</details>",
        "[^1]\n\n[^1]: x",
        "$x$",
        "[[page]]",
        "https://gitlab.com/a/b/-/issues/1",
        "ABC-12",
        "```\nx",
        "\u{0}",
    ] {
        assert!(check(&Note::text(text)).is_err(), "{text:?}");
    }
    let suggestion = "```suggestion:-0+0\nx\n```";
    let marker = "<!-- diffsan:finding:k -->";
    let text = format!("text\n\n{suggestion}\n\n{marker}");
    assert_eq!(check(&Note { text: &text, markers: marker, suggestions: &[suggestion] }), Ok(()));
    assert!(check(&Note { text: &text, markers: marker, suggestions: &[] }).is_err());
    assert!(check(&Note { text: &text, markers: "", suggestions: &[suggestion] }).is_err());
    let twice = format!("{marker}\n\n{text}");
    assert!(check(&Note { text: &twice, markers: marker, suggestions: &[suggestion] }).is_err());
}
