//! Finished notes and their effects. Verdicts with a version were recorded by others on a real GitLab; the other ones are derived
//! from GitLab's documentation and source.

use super::*;

/// Checks the executed lines.
#[track_caller]
fn executes(body: &str, expected: &[&str]) {
    assert_eq!(effects_of(body).executed, expected, "{body:?}");
}

/// Checks the notified users.
#[track_caller]
fn mentions(body: &str, expected: &[&str]) {
    assert_eq!(effects_of(body).mentioned, expected, "{body:?}");
}

/// Checks the references, each by kind and text.
#[track_caller]
fn refers(body: &str, expected: &[(ReferenceKind, &str)]) {
    let found = effects_of(body).references;
    let found: Vec<_> = found.iter().map(|one| (one.kind, one.text.as_str())).collect();
    assert_eq!(found, expected, "{body:?}");
}

#[test]
fn plain_review_text_does_nothing() {
    let body = "**[bug/high]** Off by one\n\nThe loop reads one item too many, see `items[n]` in `src/a.rs`.\n\n```rust\n/approve\n@all #12\n```\n\n- one\n- two\n";
    assert!(effects_of(body).is_inert(), "{:?}", effects_of(body));
}

#[test]
fn commands_are_lines_of_paragraphs() {
    executes("/close", &["/close"]);
    executes("text\n/close", &["/close"]); // 19.4.1
    executes("/CLOSE\n\nmore", &["/CLOSE"]); // 19.4.1
    executes("/clo\u{17f}e", &["/clo\u{17f}e"]); // 19.4.1: a long s folds to an s
    executes("/label ~x\n/milestone %y\n/approve\n/draft", &["/label ~x", "/milestone %y", "/approve", "/draft"]); // 19.4.1
    executes("/shrug", &["/shrug"]); // 19.4.1
    executes("/close\t\nx", &["/close"]);
    executes("a\r\n/merge\r\nb", &["/merge"]);
    executes("/cl\rose", &["/close"]);
    executes("| a |\n| - |\n| b |\n\n/close", &["/close"]);
    executes("```a`b\n/close\n```", &["/close"]); // 19.4.1: a backtick behind a fence makes it no fence
}

#[test]
fn other_lines_are_no_commands() {
    for body in [
        " /close",        // 19.4.1
        "    /close",     // 19.4.1
        r"\/close",       // 19.4.1
        "&#47;close",     // 19.4.1
        "&#x2f;close",    // 19.4.1
        "\u{200b}/close", // 19.4.1
        "/",              // 19.4.1
        "// close",       // 19.4.1
        "/usr/bin",       // 19.4.1
        "/closed",
        "x /close",
        "`/close`",
        "> /close",
        "- /close",
        "```\n/close\n```",   // 19.4.1
        "````\n/close\n````", // 19.4.1
        "／close",
    ] {
        executes(body, &[]);
    }
}

#[test]
fn older_versions_know_fewer_blocks() {
    executes("~~~\n/close\n~~~", &["/close"]);
    executes("> text\n/close", &["/close"]);
    // The first line of three backticks ends the block, even if its fence is longer.
    executes("````\n```\n/close\nx", &["/close"]);
    // A space follows the last fence. The first fence is interpreted as the end of a span.
    executes("a `b`\n```\n/close\n``` \n", &["/close"]);
    executes("- ```\n/close\n  ```", &["/close"]);
}

#[test]
fn a_quote_of_several_lines_ends_also_within_a_fence() {
    executes(">>>\n```\n>>>\n/close\n```", &["/close"]); // 19.4.1
    executes(">>>\n~~~\n>>>\n/close\n~~~", &["/close"]); // 19.4.1
    executes(">>> \n```\n>>>\n/close\n```", &["/close"]); // 19.4.1
    executes(" >>>\n```\n>>>\n/close\n```", &["/close"]); // 19.4.1
    executes(">>> [!note]\n```\n>>>\n/close\n```", &["/close"]); // 19.4.1
    executes("\\>>>\n```\n>>>\n/close\n```", &[]); // 19.4.1
}

#[test]
fn html_hides_and_reveals_commands() {
    executes("<!-- comment -->\n/close", &["/close"]);
    executes("<!-- x -->/close", &[]); // 19.4.1
    // Some versions removed raw HTML before they searched for paragraphs.
    executes("<details>\n\n/close\n\n</details>", &["/close"]);
    executes("<p data-sourcepos=\"4:1-4:9\">\n/x</p>\n\n    a\n/approve\n", &["/approve"]);
    executes("<p data-sourcepos=\"5:1-5:8\">\n/x</p>\n\n- ```\n  a\n/approve\n", &["/approve"]);
    executes("> </blockquote>\n>\n> text\n/close", &["/close"]);
}

#[test]
fn front_matter_moves_the_lines_that_are_looked_at() {
    let effects = effects_of("---\ntitle: x\n---\n\ntext");
    assert_eq!(effects.other_active_blocks, [ActiveBlock::FrontMatter]);
    assert_eq!(effects_of("text\n\n---\n").other_active_blocks, []);
}

#[test]
fn what_is_stored_lacks_commands_and_carriage_returns() {
    assert_eq!(effects_of("a\r\n/close\r\nb \n\n").stored, "a\nb");
    assert_eq!(effects_of("/close").stored, "");
    assert_eq!(effects_of("a\n\n    /close\n").stored, "a\n\n    /close");
    assert_eq!(effects_of("/shrug x").stored, r"¯\＿(ツ)＿/¯");
}

#[test]
fn mentions_are_names_behind_an_at_sign() {
    mentions("@jane", &["jane"]);
    mentions("Please ask @jane-doe.", &["jane-doe"]);
    mentions("@all @group/sub.team", &["all", "group/sub.team"]);
    mentions("**@jane**, _@joe_, ~~@jim~~", &["jane", "joe", "jim"]);
    mentions("# @jane\n\n| @joe |\n| --- |\n| @jim |", &["jane", "joe", "jim"]);
    mentions("> @jane\n\n- @joe\n\n1. @jim", &["jane", "joe", "jim"]);
    mentions("é@jane", &["jane"]);
    mentions("(@jane) \u{200b}@joe", &["jane", "joe"]);
    mentions("[x](@jane)", &["jane"]);
    mentions("[x](%40jane)", &["jane"]);
    mentions("/cc @jane", &["jane"]);
    mentions("text\n[^1]\n\n[^1]: @jane", &["jane"]);
    mentions("- [ ] @jane", &["jane"]);
}

#[test]
fn entities_and_escapes_are_read_as_the_page_shows_them() {
    mentions("&commat;jane", &["jane"]);
    mentions("&#64;jane", &["jane"]);
    mentions("&#x40;jane &#X40;joe &#0064;jim", &["jane", "joe", "jim"]);
    mentions("&amp;commat;jane", &[]);
    mentions("&commatjane", &[]);
    mentions(r"\&commat;jane", &[]);
    mentions(r"\@jane", &[]);
    mentions(r"\\@jane", &["jane"]);
    mentions(r"a\_@jane", &[]);
    mentions("`@jane`, ``@`joe``", &[]);
    mentions("`@jane", &["jane"]);
    mentions("jane@example.com <joe@example.com>", &[]);
    mentions("[@jane](https://example.org)", &[]);
    mentions("＠jane", &[]);
    mentions("See https://example.org/@jane/x#12.", &[]);
    mentions("See [x](https://example.org/@jane).", &[]);
    mentions("@\u{2060}jane", &[]);
}

#[test]
fn raw_html_is_looked_through() {
    mentions("<div>@jane</div>", &["jane"]);
    mentions("<b>@jane</b>", &["jane"]);
    mentions("<!-- @jane -->", &[]);
    mentions("<?php > @jane ?>", &["jane"]);
    mentions("<!--> @jane -->", &["jane"]);
    mentions("<pre>@jane</pre>", &["jane"]);
    assert_eq!(
        effects_of("<details>\n<summary>a</summary>\n\nb\n\n</details>\n<!-- x -->").html,
        ["<details>", "<summary>", "</summary>", "</details>", "<!-- x -->"]
    );
    assert_eq!(effects_of("a <b class=\"x > y\">c").html, ["<b class=\"x > y\">"]);
    assert_eq!(effects_of("a < b && c > d, Vec<T>").html, ["<T>"]);
}

#[test]
fn references_have_kinds() {
    use ReferenceKind::{
        Address, Alert, Commit, CommitRange, Epic, Issue, Iteration, Label, LinkAddress, MergeRequest, Milestone,
        Named, Project, Snippet, WikiPage,
    };
    refers("#12, group/project#12, GL-3", &[(Issue, "#12"), (Issue, "#12"), (Issue, "GL-3")]);
    refers("!34+", &[(MergeRequest, "!34")]);
    refers("1234567 is deadbeef", &[(Commit, "1234567"), (Commit, "deadbeef")]);
    refers("abcdef1...abcdef2", &[(Commit, "abcdef1"), (CommitRange, "abcdef1...abcdef2"), (Commit, "abcdef2")]);
    refers("%v1 %\"a b\"", &[(Milestone, "%v1"), (Milestone, "%\"a b\"")]);
    refers("~bug ~\"a b\"", &[(Label, "~bug"), (Label, "~\"a b\"")]);
    refers("$12 costs", &[(Snippet, "$12")]);
    refers("&7", &[(Epic, "&7")]);
    refers("*iteration:7", &[(Iteration, "*iteration:7")]);
    refers("^alert#7", &[(Issue, "#7"), (Alert, "^alert#7")]);
    refers("group/project>", &[(Project, "group/project>")]);
    refers("[vulnerability:7] [feature_flag:7]", &[(Named, "[vulnerability:7]"), (Named, "[feature_flag:7]")]);
    refers("[[a page]]", &[(WikiPage, "[[a page]]")]);
    refers("[x](#12) [y](!3)", &[(LinkAddress, "#12"), (LinkAddress, "!3")]);
    let address = format!("{HOST}/group/project/-/issues/12");
    for body in [address.clone(), format!("<{address}>"), format!("[x]({address})"), format!("[x]\n\n[x]: {address}")] {
        refers(&body, &[(Address, &address)]);
    }
    refers("https://example.org/a/b/-/issues/12", &[]);
    refers("See https://example.org/a#12, and <https://example.org/!3>.", &[]);
    refers("`#12` `!3` `deadbeef`", &[]);
    refers(r"\#12 \!34 \%v1 \~bug \$12 \&7", &[]);
    refers("&#35;12 &num;12", &[(Issue, "#12"), (Issue, "#12")]);
    refers("defaced #1st", &[(Issue, "#1"), (Commit, "defaced")]);
    assert_eq!(effects_of("ABC-12 and UTF-8").external_issues, ["ABC-12", "UTF-8"]);
}

#[test]
fn images_and_embedded_objects_are_found() {
    for body in [
        "![x](https://evil.example/p.png)",
        "![x]\n\n[x]: https://evil.example/p.png",
        "![x][y]\n\n[y]:\nhttps://evil.example/p.png\n\"title\"",
        "<img src=\"https://evil.example/p.png\">",
        "<video src='https://evil.example/p.png'></video>",
        "text <IMG SRC=https://evil.example/p.png >",
    ] {
        assert_eq!(effects_of(body).images, ["https://evil.example/p.png"], "{body:?}");
    }
    assert_eq!(effects_of("`![x](y.png)` \\![x](y.png)").images, Vec::<String>::new());
}

#[test]
fn suggestions_are_fences_of_that_language() {
    let one = |above, below, content: &str| Suggestion { above, below, content: content.to_owned() };
    let check = |body: &str, expected: &[Suggestion]| assert_eq!(effects_of(body).suggestions, expected, "{body:?}");
    check("```suggestion\nx\n```", &[one(0, 0, "x")]);
    check("```suggestion:-1+2\nx\ny\n```", &[one(1, 2, "x\ny")]);
    check("```suggestion:-0+0\n```", &[one(0, 0, "")]);
    check("~~~~ suggestion:-500\nx\n~~~~", &[one(100, 0, "x")]);
    check("```suggestion:x\ny\n```", &[one(0, 0, "y")]);
    check("````suggestion\n```\nx\n```\n````", &[one(0, 0, "```\nx\n```")]);
    check("> ```suggestion\n> x\n> ```", &[one(0, 0, "x")]);
    check("- ```suggestion\n  x", &[one(0, 0, "x")]);
    check("<pre lang=\"suggestion:-1+0\"><code>x\n</code></pre>", &[one(1, 0, "x")]);
    check("``` rust\n```suggestion\nx\n```", &[]);
    check("    ```suggestion\n    x\n    ```", &[]);
    check("\\```suggestion\nx\n```", &[]);
}

#[test]
fn other_blocks_are_named() {
    let check =
        |body: &str, expected: &[ActiveBlock]| assert_eq!(effects_of(body).other_active_blocks, expected, "{body:?}");
    check("```mermaid\ngraph TD\n```", &[ActiveBlock::Diagram("mermaid".into())]);
    check("~~~plantuml\nx\n~~~", &[ActiveBlock::Diagram("plantuml".into())]);
    check("```math\nx\n```", &[ActiveBlock::Math("x\n".into())]);
    check("$x$", &[ActiveBlock::Math("x".into())]);
    check("$`x`$", &[ActiveBlock::Math("x".into())]);
    check("```json:table\n{}\n```", &[ActiveBlock::JsonTable]);
    check("[[_TOC_]]", &[ActiveBlock::TableOfContents]);
    check("text\n\n[TOC]", &[ActiveBlock::TableOfContents]);
    check("> [!warning]\n> x", &[ActiveBlock::Alert("warning".into())]);
    check(">>>\nx\n>>>", &[ActiveBlock::MultilineQuote]);
    check("term\n: details", &[ActiveBlock::DescriptionList]);
    check("- [ ] x\n- [x] y", &[ActiveBlock::TaskItem, ActiveBlock::TaskItem]);
    check("x[^1]\n\n[^1]: y", &[ActiveBlock::Footnote("1".into())]);
    check("%{project_name}", &[ActiveBlock::Placeholder("%{project_name}".into())]);
    check(
        "{+ added +} [- removed -]",
        &[ActiveBlock::InlineDiff("{+ added +}".into()), ActiveBlock::InlineDiff("[- removed -]".into())],
    );
    check("```rust\nlet x = \"$a$\";\n```", &[]);
    assert_eq!(effects_of("::include{file=a.md}").includes, ["a.md"]);
    assert_eq!(effects_of("a\n::include{file=https://x.example/a.md}\nb").includes, ["https://x.example/a.md"]);
    assert_eq!(effects_of("```\n::include{file=a.md}\n```").includes, Vec::<String>::new());
}

#[test]
fn markers_are_told_from_text_that_looks_like_them() {
    let body = "a <!-- diffsan:finding:1 -->\n\n```\n<!-- diffsan:b -->\n```\n\n<!-- diffsan:ai-reviewer -->\n<!-- diffsan:finding:2 -->\n";
    let markers = effects_of(body).markers;
    let told: Vec<_> = markers.iter().map(|one| (one.text.as_str(), one.comment, one.at_end)).collect();
    assert_eq!(
        told,
        [
            ("<!-- diffsan:finding:1 -->", true, false),
            ("<!-- diffsan:b -->", false, false),
            ("<!-- diffsan:ai-reviewer -->", true, true),
            ("<!-- diffsan:finding:2 -->", true, true),
        ]
    );
    assert_eq!(effects_of("<!--diffsan:x").markers.len(), 1);
    assert_eq!(effects_of("&lt;!-- diffsan:x -->").markers, []);
}

/// The attacks of the report, posted with each part escaped only by itself.
#[test]
fn parts_that_are_safe_by_themselves_are_not_safe_when_joined() {
    // The title opens a fence that the fence in the body closes.
    executes("**[security/high]** \n~~~\n\n~~~\n/merge\n~~~\n", &["/merge"]);
    executes("```\n\nSome text.\n\n```\n/approve\n```\n", &["/approve"]);
    mentions("````\n\n````\n@all\n````\n", &["all"]);
    // A path on a line of its own.
    executes("In file\n```\n:\n\n```\n/close\n```\n", &["/close"]);
    // A finding that is folded into the summary.
    let folded = "<details><summary>~~~</summary>\n\n~~~\n/merge\n~~~\n\n</details>";
    executes(folded, &["/merge"]);
    assert_eq!(
        effects_of("```\n\n```\n```suggestion:-0+5\nevil\n```\n").suggestions,
        effects_of("```suggestion:-0+5\nevil\n```").suggestions
    );
    // An image whose definition is in another part.
    assert_eq!(
        effects_of("![x]\n\nother part\n\n[x]: https://evil.example/x.png").images,
        ["https://evil.example/x.png"]
    );
    // An unclosed comment contains the markers that follow it.
    let swallowed = effects_of("text\n\n<!-- \n\n<!-- diffsan:finding:1 -->");
    assert_eq!(swallowed.html, ["<!-- \n\n<!-- diffsan:finding:1 -->"]);
}

#[test]
fn deep_nesting_and_long_lines_are_read_in_linear_time() {
    let started = std::time::Instant::now();
    for text in
        [">", "[", "![", "*", "<b>", "`a", "- ", "(", "&#64;", "<i>\n", "$", "/close\n", "1. ", "> - ", "~~~\n", "|"]
    {
        let body = text.repeat(10_000);
        let _ = effects_of(&body);
        let _ = visible(&body);
        assert!(started.elapsed().as_secs() < 60, "{text:?} takes too long");
    }
}

#[test]
fn the_visible_side_of_a_note() {
    let seen = visible(
        "# A\n\n- one `x < y`\n- *two*\n\n```rust\nfn f() {}\n```\n\n> q &amp; a\n\n[docs](https://x.example)\n\n| a |\n| - |\n| b |\n\n<!-- c -->",
    );
    assert_eq!(seen.code_blocks, [VisibleCode { info: "rust".into(), text: "fn f() {}\n".into() }]);
    assert_eq!(seen.code_spans, ["x < y"]);
    assert_eq!(seen.links, [("https://x.example".to_owned(), "docs".to_owned())]);
    assert_eq!((seen.list_items, seen.table_rows, seen.headings, seen.quotes, seen.emphases), (2, 2, 1, 1, 1));
    assert!(seen.text.contains("q & a") && !seen.text.contains("c -->"), "{}", seen.text);
    assert_eq!(visible("@\u{200b}jane").plain(), "@jane\n");
}
