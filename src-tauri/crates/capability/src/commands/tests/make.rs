//! Tests the effects and the open uses of makefiles.

use super::{check, reached};

/// Checks a makefile.
fn make(text: &str, expected: &[&str]) {
    check(&[("Makefile", text)], expected);
}

/// Returns whether a file reaches an effect or an open use with this text.
fn finds(files: &[(&str, &str)], wanted: &str) -> bool {
    reached(files).0.iter().any(|found| found.contains(wanted))
}

#[test]
fn recipes_run_commands() {
    make("all: ; @rm x\n", &["1 file.delete rm"]);
    make(
        "all:\n\t@-+ rm x \\\n\t  y; curl z\n\n# a comment\n\tcurl a\n",
        &["2 file.delete rm", "3 http.request curl", "6 http.request curl"],
    );
    make("a b:: c\n\trm $@\nc:\n\tcurl x\n", &["1 http.request c → curl", "2 file.delete rm", "4 http.request curl"]);
    make("all:\n\t$(RM) x $$HOME '$(X)'\n", &["2 env.read $HOME", "2 file.delete rm"]);
    make("export HOME = x\nall:\n\techo $$HOME\n", &[]);
    make("all:\nifdef X\n\trm x\nelse ifeq ($(A),b)\n\tcurl x\nendif\n", &["3 file.delete rm", "5 http.request curl"]);
    make(".RECIPEPREFIX = >\nall:\n> rm x\n", &["3 file.delete rm"]);
    make(".PHONY: all\nall:\n\t# rm x\n\t@:\n", &[]);
    make(".ONESHELL:\nall:\n\tX=rm\n\t$$X y\n", &["4 file.delete rm"]);
    make("all:\n\tX=rm\n\t$$X y\n", &["3 open $$X y: the command in `$$X y` is chosen when the script runs"]);
}

#[test]
fn variables_that_are_set_once_have_their_value() {
    for (head, command) in [
        ("R = rm", "$(R) x"),
        ("R := rm", "${R} x"),
        ("R ?= rm", "$R x"),
        ("R ::= rm", "$(R) x"),
        ("A = rm -f\nR = $(A) y", "$(R)"),
        ("R := sudo\nR += rm", "$(R) x"),
        ("override R := rm # x", "$(R) x"),
        ("SHELL := $(shell which bash)\n.SHELLFLAGS = -eu -o pipefail -c", "rm x"),
        ("export R = \\\n rm", "$(R) x"),
        ("Q = @", "$(Q)rm x"),
        ("define R =\nrm x\nendef", "$(R)"),
        ("define R\ntrue\nrm x\nendef", "$(R)"),
        ("R = $(1) $(2)", "$(call R,rm,x)"),
        ("L = x.c", "$(patsubst %.c,rm,x.c) y"),
        ("L = x.c", "$(L:.c=) ; rm"),
        ("", "$(strip rm ) x"),
        ("", "$(addprefix r,m) x"),
    ] {
        let text = format!("{head}\nall:\n\t{command}\n");
        let wanted = if command.contains("L:") { "no table lists the command `x`" } else { "file.delete rm" };
        assert!(finds(&[("Makefile", &text)], wanted), "{text}: {:?}", reached(&[("Makefile", &text)]));
    }
}

#[test]
fn what_make_runs_while_it_reads_counts() {
    for text in [
        "X := $(shell rm x)",
        "X != rm x",
        "$(shell rm x)",
        "$(info $(shell rm x))",
        "ifeq ($(shell rm x),)\nendif",
        "all: $(shell rm x)",
        "all: X = $(shell rm x)",
        "include $(shell rm x)",
        "X = $(foreach y,a b,$(shell rm $(y)))",
        "X = $(if a,$(call f,$(shell rm x)))",
        "export X := ${shell rm x}",
        "all:\n\techo $(shell rm x)",
        "define X\n$(shell rm x)\nendef",
        "X := $(call shell,rm x)",
        "X := $(shell echo '#'; rm x)",
    ] {
        assert!(finds(&[("Makefile", text)], "file.delete rm"), "{text}: {:?}", reached(&[("Makefile", text)]));
    }
    assert!(finds(&[("Makefile", "X := $(file >out,x)")], "file.write > out"));
}

#[test]
fn targets_are_followed() {
    let makefile = ("Makefile", "all: build\nbuild: x.o\n%.o: %.c\n\tcurl x\nx.c:\nclean:\n\trm x\n");
    for (script, wanted) in [
        ("make clean", "file.delete make → rm"),
        ("make", "http.request make → build → x.o → curl"),
        ("make -j4 all", "http.request"),
        ("cd src/..; make clean", "file.delete make → rm"),
        ("gmake --directory=. clean", "file.delete gmake → rm"),
        ("sudo make clean", "file.delete sudo → rm"),
        ("make PREFIX=/usr clean", "file.delete make → rm"),
        ("make y.o", "http.request make → curl"),
    ] {
        let files = [("run.sh", script), makefile, ("src/a", "")];
        assert!(finds(&files, wanted), "{script}: {:?}", reached(&files));
        assert!(!finds(&files, " open "), "{script}: {:?}", reached(&files));
    }
    assert!(!finds(&[("run.sh", "make clean"), makefile], "http.request"));
    // The makefile of the folder counts, not that of the same path from the root.
    let files = [
        ("a/Makefile", "all:\n\tcd src && $(MAKE)\n"),
        ("a/src/Makefile", "all: ; rm x\n"),
        ("src/Makefile", "all: ; curl x\n"),
    ];
    check(&files, &["2 file.delete make → rm", "2 process.run make"]);
    make(".DEFAULT:\n\trm x\nall: other\n", &["2 file.delete rm", "3 file.delete other → rm"]);
    let inner = ("sub/Makefile", "all:\n\trm x\nother: ; curl x\n");
    for outer in ["all:\n\t$(MAKE) -C sub\n", "all:\n\tcd sub && $(MAKE) all\n", "all: ; make -f sub/Makefile all"] {
        let files = [("Makefile", outer), inner];
        assert!(finds(&files, "file.delete make → rm"), "{outer}: {:?}", reached(&files));
        assert!(!finds(&files, "http.request") && !finds(&files, " open "), "{outer}: {:?}", reached(&files));
    }
    let included = ("mk/rules.mk", "clean:\n\trm x\n");
    for outer in ["include mk/rules.mk\nall: clean", "D = mk\n-include $(D)/rules.mk\nall:\n\t$(MAKE) clean"] {
        let files = [("Makefile", outer), included];
        assert!(finds(&files, "→ rm"), "{outer}: {:?}", reached(&files));
        assert!(!finds(&files, " open "), "{outer}: {:?}", reached(&files));
    }
    let files = [("Makefile", "X = true\ninclude b.mk\nall:\n\t$(X) y\n"), ("b.mk", "X = rm\n")];
    assert!(finds(&files, " open include: `b.mk` sets the variable `X`, too"));
    // The rules of an included file are those of the makefile, too, but only one that is named runs.
    let included = ("b.mk", "clean:\n\trm x\n");
    assert!(finds(&[("Makefile", "include b.mk\nall:\n"), included], "file.delete b.mk → rm"));
    assert!(!finds(&[("run.sh", "make all"), ("Makefile", "include b.mk\nall:\n"), included], "file.delete"));
    check(
        &[("run.sh", "make"), ("Makefile", ".DEFAULT_GOAL := clean\nall:\nclean:\n\trm x\n")],
        &["1 file.delete make → rm", "1 process.run make"],
    );
}

#[test]
fn what_is_not_known_of_a_makefile_is_open() {
    for text in [
        "all: missing\n",
        "all: $(X)\n",
        "all: $(wildcard *.x)\n",
        "include missing.mk\n",
        "-include $(X)\n",
        "$(eval $(X))\n",
        "$(X)\n",
        "$(call f,x)\n",
        "all:\n\t$(X) y\n",
        "X = rm\nX = curl\nall:\n\t$(X) y\n",
        "ifdef A\nX = true\nendif\nall:\n\t$(X) y\n",
        "all: X = true\nX = true\nall:\n\t$(X) y\n",
        "all:\n\t$@ y\n",
        "all:\n\t$(shell cat x)\n",
        "all:\n\t$(foreach x,a b,rm $(x);)\n",
        "SHELL := /usr/bin/python\nall:\n\tprint()\n",
        "all: SHELL = pwsh\nall:\n\trm x\n",
        "all:\n\tif true; then\n",
        "!include x\n",
        ".if x\n",
        "load x.so\n",
        "this is no statement\n",
        "all:\n\t$(MAKE) missing\n",
        "all:\n\t$(MAKE) -C $(X)\n",
        "all:\n\t$(MAKE) $@\n",
        "all:\n\tfor d in a b; do $(MAKE) -C $$d; done\n",
        ".SECONDEXPANSION:\nall: $$(X)\n",
        "define X =\nx\n",
        "ifdef X\nall:\n",
        "X = $(X)\nall:\n\t$(X)\n",
        "X = true\n$(Y) = rm\nall:\n\t$(X) y\n",
        "X_Y = true\nX_$(Z) = rm\nall:\n\t$(X_Y) y\n",
        "X := $(call $(F),rm x)\n",
        "SHELL = rm bash\nall:\n\ttrue\n",
        ".SHELLFLAGS = -c rm\nall:\n\ttrue\n",
        "MAKEFLAGS += --eval=x:;rm\nall:\n\ttrue\n",
    ] {
        let (found, is_incomplete) = reached(&[("Makefile", text)]);
        assert!(is_incomplete || found.iter().any(|one| one.contains(" open ")), "{text}: {found:?}");
    }
    for (script, makefile) in [
        ("make missing", "all:\n"),
        ("make \"$1\"", "all:\n"),
        ("make $MAKE_ARGS all", "all:\n"),
        ("make", ".PHONY: x\n"),
        ("make -C sub", "all:\n"),
        ("make -f other.mk", "all:\n"),
        ("cd \"$1\"; make", "all:\n"),
        ("make RUN='rm x'", "RUN = true\nall:\n\t$(RUN) y\n"),
        ("make SHELL=/usr/bin/python", "all:\n\ttrue\n"),
        ("make RUN=rm", "RUN = true\nall:\n\tsudo $(RUN) y\n"),
        ("make X='; rm y'", "all:\n\techo $(X)\n"),
        ("make --eval='x:;rm y' x", "all:\nx:\n"),
        ("make x", "$(X): y\n\ttrue\n"),
        ("make", "ifdef X\nall:\nendif\nother: missing\n"),
    ] {
        let files = [("run.sh", script), ("Makefile", makefile)];
        assert!(finds(&files, " open "), "{script} {makefile}: {:?}", reached(&files));
    }
    let image = |copy: &str| format!("FROM scratch\n{copy}\nRUN make\n");
    let makefile = ("Makefile", "all:\n\trm x\n");
    assert!(finds(&[("Dockerfile", &image("COPY . /app")), makefile], "file.delete make → rm"));
    assert!(finds(&[("Dockerfile", &image("RUN curl x | tar x")), makefile], " open make"));
}

#[test]
fn a_makefile_of_any_size_and_depth_is_read() {
    let rules: String = (0..5000).map(|at| format!("t{at}: t{}\n\techo $(X{at})\n", at + 1)).collect();
    let check = move || {
        let (found, _) = reached(&[("Makefile", &format!("{rules}t5000:\n\trm x\n"))]);
        assert!(found.iter().any(|one| one.contains("definitions call each other in a chain")));
        assert!(found.iter().any(|one| one.contains("file.delete rm")));
    };
    std::thread::Builder::new().stack_size(64 * 1024 * 1024).spawn(check).unwrap().join().unwrap();
    let bomb: String = (0..60).map(|at| format!("A{at} = $(A{0})$(A{0})\n", at + 1)).collect();
    let (found, is_incomplete) = reached(&[("Makefile", &format!("{bomb}A60 = x\nall:\n\t$(A0)\n"))]);
    assert!(is_incomplete || found.iter().any(|one| one.contains(" open ")), "{found:?}");
    for text in ["f = $(call f)$(call f)\nall:\n\t$(call f)\n", &format!("all:\n\t{}\n", "$(".repeat(5000))] {
        let (found, is_incomplete) = reached(&[("Makefile", text)]);
        assert!(is_incomplete || found.iter().any(|one| one.contains(" open ")), "{text}: {found:?}");
    }
}
