//! Hostile blocks: fences, quotes, lists, HTML, definitions, tables, and unclosed openers of these.

use super::Generator;

/// Info strings of fences.
const INFOS: &[&str] = &[
    "",
    "",
    "",
    "rust",
    " sh ",
    "suggestion",
    "suggestion:-0+0",
    "suggestion:-3+5",
    "suggestion:-100+100",
    " suggestion",
    "Suggestion",
    "mermaid",
    "plantuml",
    "math",
    "json:table",
    "kroki",
    "dot",
    "d2",
    "include",
    "::include{file=x}",
    "a`b",
    "@jane",
    "<b>",
    "&commat;all",
    "\\",
    "rust title=\"@jane\"",
    "suggestion:-0+5 x",
    "diff",
    "\u{a0}",
    "{.suggestion}",
];

/// Lines that open a block without closing it, or close another block.
const OPENERS: &[&str] = &[
    "```",
    "~~~",
    "````",
    "~~~~",
    "``````",
    "```suggestion:-0+5",
    "~~~mermaid",
    ">>>",
    ">>>>",
    ">>> [!note]",
    "> ",
    "> ```",
    ">",
    "- ",
    "- ```",
    "1. ",
    "* ~~~",
    "<!--",
    "<!-- x",
    "-->",
    "<?",
    "?>",
    "<!X",
    "<![CDATA[",
    "]]>",
    "<script>",
    "<pre>",
    "<style>",
    "<textarea>",
    "</details>",
    "<details>",
    "<details open>",
    "<div>",
    "<div",
    "</div>",
    "</summary>",
    "<table>",
    "[x]: ",
    "[x]:",
    "[",
    "![",
    "[^1]: ",
    "[x]: /u '",
    "---",
    "===",
    "***",
    "+++",
    ";;;",
    "$$",
    "| a |",
    "| - |",
    "    ",
    "\t",
    "#",
    "# ",
    "\\",
    "`",
    "``",
    "**",
    "&",
    "&#",
    "<",
    "</",
    "@",
    "/",
    "!",
    "#1",
    "/close",
    "/merge",
    "@all",
    "::include{file=",
    ": ",
    "term\n: ",
    "- [ ] ",
    "[!note]",
    "> [!warning]\n>",
    "%{",
    "{+",
    "[[",
    "%%%",
    "~",
    "$",
    "<p data-sourcepos=\"1:1-99:1\">\n/x</p>",
    "<a href=\"",
    "<img src=\"https://evil.example/?",
    "https://gitlab.example.com/group/project/-/issues/",
];

impl Generator {
    /// Returns a line that opens or closes a block.
    pub(super) fn opener(&mut self) -> String {
        if self.dice.once_in(4) {
            return self.fence_line();
        }
        (self.one_of(OPENERS)).to_owned()
    }

    /// Returns the line of a fence. It often closes the fence that is open.
    pub(super) fn fence_line(&mut self) -> String {
        if let Some(open) = self.fence.take().filter(|_| self.dice.roll(3) > 0) {
            let space = self.one_of(&["", "", " ", "   ", "    ", "\t"]);
            return format!("{open}{space}");
        }
        let fence = self.fence();
        let info = self.one_of(INFOS);
        self.fence = Some(fence.clone());
        format!("{fence}{info}")
    }

    /// Returns a run of backticks or tildes.
    fn fence(&mut self) -> String {
        let sign = self.one_of(&["`", "`", "~"]);
        let length = *self.dice.pick(&[1, 2, 3, 3, 3, 3, 4, 4, 5, 6, 7, 8]);
        sign.repeat(length)
    }

    /// Returns the start of a block after a line end.
    pub(super) fn block_start(&mut self) -> String {
        match self.dice.roll(3) {
            0 => self.command(),
            1 => self.opener(),
            _ => self.inline(2),
        }
    }

    /// Returns one block. `depth` limits the nesting.
    pub(super) fn one_block(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.paragraph();
        }
        match self.dice.roll(20) {
            0..=2 => self.code(depth),
            3 => self.prefixed(depth),
            4 => self.list(depth),
            5 => format!(">>>{}\n{}\n>>>", self.one_of(&["", " ", " [!note]", ">"]), self.one_block(depth - 1)),
            6 | 7 => self.html(depth),
            8 => self.definition(),
            9 => self.heading(),
            10 => self.table(),
            11 => self.command(),
            12 => format!("{}\n{}", self.command(), self.paragraph()),
            13 => self.opener(),
            14 => self.marker().to_owned(),
            15 => self.whole_line(),
            _ => self.paragraph(),
        }
    }

    fn paragraph(&mut self) -> String {
        let mut text = self.inlines(3);
        for _ in 0..self.dice.roll(3) {
            text += self.line_end();
            text += &if self.dice.once_in(3) { self.block_start() } else { self.inlines(2) };
        }
        text
    }

    /// Returns a fenced code block. Its closing fence is often missing, early or different.
    fn code(&mut self, depth: usize) -> String {
        let fence = self.fence();
        let info = self.one_of(INFOS);
        let content = match self.dice.roll(4) {
            0 => self.command(),
            1 => self.mention(),
            2 => self.one_block(depth - 1),
            _ => "let x = a < b && c > d;\nfoo!(&mut *p, @decorator);".to_owned(),
        };
        let indent = self.one_of(&["", "", "", " ", "   ", "    ", "\t"]);
        let close = match self.dice.roll(8) {
            0 => String::new(),
            1 => self.fence(),
            2 => format!("{fence} "),
            3 => format!("{fence}x"),
            4 => format!("    {fence}"),
            _ => fence.clone(),
        };
        if close.is_empty() {
            self.fence = Some(fence.clone());
        }
        format!("{indent}{fence}{info}\n{content}\n{indent}{close}")
    }

    /// Returns a block in a quote, often with lazy continuation lines.
    fn prefixed(&mut self, depth: usize) -> String {
        let mark = self.one_of(&["> ", ">", "> > ", ">> ", "   > ", "> - ", "> [!note]\n> ", ">\t", "| "]);
        let block = self.one_block(depth - 1);
        let mut text = String::new();
        for (at, line) in block.split('\n').enumerate() {
            if at > 0 {
                text.push('\n');
            }
            if at == 0 || !self.dice.once_in(4) {
                text += mark;
            }
            text += line;
        }
        text
    }

    /// Returns a block in a list item, with a correct or wrong indent.
    fn list(&mut self, depth: usize) -> String {
        let mark =
            self.one_of(&["- ", "* ", "+ ", "1. ", "10) ", "- [ ] ", "- [x] ", "-\t", "-     ", "1.\n   ", "-\n"]);
        let indent = " ".repeat(self.dice.roll(6));
        let block = self.one_block(depth - 1).replace('\n', &format!("\n{indent}"));
        let next = self.block_start();
        if self.dice.once_in(2) { format!("{mark}{block}\n{mark}{next}") } else { format!("{mark}{block}\n{next}") }
    }

    /// Returns the seven kinds of HTML blocks, and inline tags.
    fn html(&mut self, depth: usize) -> String {
        let block = self.one_block(depth - 1);
        match self.dice.roll(14) {
            0 => format!("<script>\n{block}\n</script>"),
            1 => format!("<pre lang=\"suggestion\"><code>{block}</code></pre>"),
            2 => format!("<textarea>\n{block}"),
            3 => format!("<!-- {block} -->"),
            4 => format!("<!-- {block}"),
            5 => format!("<?php {block} ?>"),
            6 => format!("<!X {block}>"),
            7 => format!("<![CDATA[ {block} ]]>"),
            8 => format!("<details>\n<summary>{}</summary>\n\n{block}\n\n</details>", self.inline(2)),
            9 => format!("<details><summary>\n\n{block}\n\n</summary></details>"),
            10 => format!("<div>\n{block}\n</div>"),
            11 => format!("<table><tr><td>\n\n{block}\n\n</td></tr></table>"),
            12 => format!("</details>\n\n{block}"),
            _ => format!("{}\n{block}", self.tag(2)),
        }
    }

    /// Returns the definition of a link or a footnote. Its title may span several lines.
    fn definition(&mut self) -> String {
        let (label, address) = (self.label(), self.address());
        match self.dice.roll(6) {
            0 => format!("[{label}]: {address} \"{}\n{}\"", self.word(), self.command()),
            1 => format!("[{label}]:\n{address}\n'{}", self.word()),
            2 => format!("[{label}]: <{address}> (x\n{}\n)", self.command()),
            3 => format!("[^{label}]: {}\n    {}", self.inline(2), self.one_block(1)),
            4 => format!("[{label}]: {address}\n===\n{}", self.command()),
            _ => format!("[{label}]: {address}"),
        }
    }

    fn heading(&mut self) -> String {
        let text = self.inlines(2);
        match self.dice.roll(4) {
            0 => format!("{text}\n---"),
            1 => format!("{text}\n==="),
            2 => format!("{} {text} ##", "#".repeat(1 + self.dice.roll(7))),
            _ => format!("{} {text}", "#".repeat(1 + self.dice.roll(6))),
        }
    }

    fn table(&mut self) -> String {
        let (head, cell) = (self.inlines(2), self.inlines(2));
        let rule = self.one_of(&["| - | - |", "|---|", ":-: | -:", "- | -", "--- |"]);
        format!("| {head} | x |\n{rule}\n| {cell} | `a|b` |\n{}", self.block_start())
    }

    /// Returns a construct that takes whole lines.
    fn whole_line(&mut self) -> String {
        (self.one_of(&[
            "::include{file=/etc/passwd}",
            "::include{file=https://evil.example/x.md}",
            "[TOC]",
            "[[_TOC_]]",
            "---\ntitle: x\n---",
            "+++\n/close\n+++",
            ";;;\n{}\n;;;",
            "encoding: utf-8\n---\nx\n---",
            "term\n: details @jane",
            "term\n\n: /close\n\n  /merge",
            "$$\n/close\n$$",
            "***",
            "- - -",
            "_ _ _",
            "    /close\n    @jane",
            "\t```\n\t/close",
            "![[image.png]]",
            "x\n{: .class}",
            "<https://gitlab.example.com/group/project/-/issues/12>",
            "/cc @jane @all",
            "/shrug @jane",
        ]))
        .to_owned()
    }

    /// Returns thousands of openers, or a very long line.
    pub(super) fn enormous(&mut self) -> String {
        let part = (self.one_of(&[
            ">", "> ", "[", "![", "*", "_", "`", "(", "- ", "&#64;", "<b>", "~~~\n", "$", "\\", "a ", "@a ",
            "/close\n", "||",
        ]))
        .to_owned();
        let tail = self.one_block(1);
        let count = 10_000 / part.len().max(1);
        format!("{}\n{tail}", part.repeat(count))
    }
}
