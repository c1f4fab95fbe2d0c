//! Hostile inline text.

use super::Generator;

impl Generator {
    /// Returns a piece of inline text. `depth` limits the nesting.
    pub(super) fn inline(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.word().to_owned();
        }
        match self.dice.roll(22) {
            0 | 1 => self.mention(),
            2 => self.reference().to_owned(),
            3 => self.entity().to_owned(),
            4 => self.odd().to_owned(),
            5 => self.marker().to_owned(),
            6 => self.address().to_owned(),
            7 => format!("<{}>", self.address()),
            8 => self.link(depth),
            9 => self.span(depth),
            10 => self.tag(depth),
            11 => self.stress(depth),
            12 => self.math(depth),
            13 => self.escape(),
            14 => self.command(),
            15 => (self.one_of(&[
                "[TOC]",
                "[[_TOC_]]",
                "::include{file=/etc/passwd}",
                "%{project_name}",
                ":smile:",
                "[^1]",
                "[^1]: @jane",
                "{+ @jane +}",
                "[- #12 -]",
                "#ff0000",
                "^[note @jane]",
                "- [ ] x",
                "cmliteral-\\+h-cmliteraljane",
            ]))
            .to_owned(),
            16 => self.backticks(1),
            _ => self.word().to_owned(),
        }
    }

    /// Returns several pieces of inline text.
    pub(super) fn inlines(&mut self, depth: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.dice.roll(3) {
            text += &self.inline(depth.saturating_sub(1));
            text += self.joint();
        }
        text
    }

    /// Returns one to eight backticks, at least `least`.
    pub(super) fn backticks(&mut self, least: usize) -> String {
        "`".repeat(least + self.dice.roll(9 - least))
    }

    fn link(&mut self, depth: usize) -> String {
        let text = self.inlines(depth);
        let image = if self.dice.once_in(2) { "!" } else { "" };
        match self.dice.roll(6) {
            0 => format!("{image}[{}]", self.label()),
            1 => format!("{image}[{text}][{}]", self.label()),
            2 => format!("{image}[{text}](<{}>)", self.address()),
            3 => format!("{image}[{text}]({} \"{}\n{}\")", self.address(), self.word(), self.command()),
            4 => format!("{image}[{text}]({}", self.address()),
            _ => format!("{image}[{text}]({})", self.address()),
        }
    }

    /// Returns a code span, often with a different closing run.
    fn span(&mut self, depth: usize) -> String {
        let open = self.backticks(1);
        let close = if self.dice.once_in(4) { self.backticks(1) } else { open.clone() };
        let text = self.inlines(depth);
        let end = if self.dice.once_in(5) { "\n" } else { "" };
        format!("{open}{text}{end}{close}")
    }

    fn stress(&mut self, depth: usize) -> String {
        let mark = self.one_of(&["*", "**", "_", "__", "~~", "~", "***", "==", "++", "^"]);
        let close = if self.dice.once_in(4) { "" } else { mark };
        format!("{mark}{}{close}", self.inlines(depth))
    }

    fn math(&mut self, depth: usize) -> String {
        let (open, close) =
            *self.dice.pick(&[("$", "$"), ("$$", "$$"), ("$`", "`$"), ("$$\n", "\n$$"), ("\\(", "\\)"), ("$", "")]);
        format!("{open}{}{close}", self.inlines(depth))
    }

    fn escape(&mut self) -> String {
        let character = *self
            .dice
            .pick(&["\\", "`", "*", "_", "{", "[", "<", "@", "#", "!", "/", "~", "|", ">", "&", "-", "$", "\n"]);
        format!("{}{character}", "\\".repeat(1 + self.dice.roll(3)))
    }

    /// Returns a raw HTML tag, complete or broken.
    pub(super) fn tag(&mut self, depth: usize) -> String {
        let name = self.one_of(&[
            "b",
            "span",
            "a",
            "img",
            "code",
            "pre",
            "div",
            "p",
            "details",
            "summary",
            "svg",
            "style",
            "script",
            "textarea",
            "blockquote",
            "table",
            "td",
            "li",
            "h1",
            "iframe",
            "math",
            "x-y",
            "T",
            "br",
            "input",
            "template",
            "kbd",
        ]);
        let attribute = match self.dice.roll(10) {
            0 => format!(" src=\"{}\"", self.address()),
            1 => format!(" href='{}'", self.address()),
            2 => " class=\"gfm js-user-link\" data-user=\"1\"".to_owned(),
            3 => " lang=\"suggestion:-0+5\"".to_owned(),
            4 => format!(" data-sourcepos=\"{}:1-{}:1\"", 1 + self.dice.roll(12), 1 + self.dice.roll(20)),
            5 => " onerror=alert(1)".to_owned(),
            6 => format!(" title=\"\n{}\n\"", self.command()),
            _ => String::new(),
        };
        let text = self.inlines(depth);
        match self.dice.roll(8) {
            0 => format!("<{name}{attribute}>"),
            1 => format!("</{name}>"),
            2 => format!("<{name}{attribute}/>{text}"),
            3 => format!("<{name}{attribute}"),
            4 => format!("< {name}>{text}"),
            _ => format!("<{name}{attribute}>{text}</{name}>"),
        }
    }
}
