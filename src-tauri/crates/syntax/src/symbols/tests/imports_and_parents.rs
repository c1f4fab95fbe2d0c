//! The forms of imports, and the parents of types.

use super::super::*;

#[test]
fn every_form_of_an_import_is_read() {
    let forms: &[(Language, &str, &[&str])] = &[
        (Language::Python, "import a", &["a = a *"]),
        (Language::Python, "import a.b.c", &["a = a *", " = a.b.c *"]),
        (Language::Python, "import a.b as c", &["c = a.b *"]),
        (Language::Python, "from .a import b as _, c", &["_ = .a b", "c = .a c"]),
        (Language::Python, "from . a import *", &[" = .a * all"]),
        (Language::JavaScript, "import _ from 'a'", &["_ = a default"]),
        (Language::JavaScript, "import a, * as b from 'c'", &["a = c default", "b = c *"]),
        (Language::JavaScript, "import 'a'; import {} from 'b'", &[" = a *", " = b *"]),
        (
            Language::JavaScript,
            "export * from 'a'; export * as b from 'a'",
            &[" = a * all exported", "b = a * exported"],
        ),
        (Language::JavaScript, "export { a, b as c } from 'd'", &["a = d a exported", "c = d b exported"]),
        (Language::JavaScript, "export { a, b as c }; export default d", &["c =  b exported", "default =  d exported"]),
        (Language::TypeScript, "import a = require('b')", &["a = b *"]),
        (Language::TypeScript, "import { type A, b as c } from 'd'", &["A = d A", "c = d b"]),
        (Language::JavaScript, "const a = require('b'), c = require('d').e", &["a = b *", "c = d e"]),
        (
            Language::JavaScript,
            "const { a, b: c, d = 1, e: [f], ...g } = require('h')",
            &["a = h a", "c = h b", "d = h d"],
        ),
        (Language::JavaScript, "const { a } = require('b').c; const d = load('e')", &[]),
        (
            Language::Go,
            "package a\nimport \"b/v2\"\nimport _ \"c\"\nimport . \"d\"",
            &["b = b/v2 *", " = c *", " = d * all"],
        ),
        (Language::Go, "package a\nimport \"x/stripe-go/v76\"", &["stripe = x/stripe-go/v76 *"]),
        (Language::Go, "package a\nimport \"api/core/v1\"", &["v1 = api/core/v1 *"]),
        (Language::Rust, "use a; use b::c as d; use ::e::f;", &["a = a *", "d = b c", "f = e f"]),
        (
            Language::Rust,
            "pub use a::{self, b::*, c::{self as d}};",
            &["a = a * exported", " = a::b * all exported", "d = a::c * exported"],
        ),
        (
            Language::Rust,
            "use a::B as _; extern crate c as d; extern crate self as e;",
            &[" = a B", "d = c *", "e = crate *"],
        ),
        (Language::Java, "import a.B; import a.*; import static a.B.c;", &["B = a B", " = a * all", "c = a.B c"]),
        (
            Language::Ruby,
            "require 'a/b'\nrequire_relative 'c'\nload 'd.rb'",
            &[" = a/b * all", " = ./c * all", " = d.rb * all"],
        ),
        (Language::Ruby, "params.require 'a'\nrequire \"#{b}/c\"", &[]),
        (
            Language::Php,
            "<?php use \\A\\B as C; use function D\\e; use F\\{G, H\\I as J};",
            &["C = A B", "e = D e", "G = F G", "J = F.H I"],
        ),
    ];
    for (language, text, expected) in forms {
        let file = read(*language, text.as_bytes()).expect("readable");
        let shown = |one: &Import| {
            let name = one.name.map_or("*", |name| file.name(name));
            let marks = format!("{}{}", if one.all { " all" } else { "" }, if one.exported { " exported" } else { "" });
            format!("{} = {} {name}{marks}", file.name(one.local), file.name(one.module))
        };
        assert_eq!(file.imports.iter().map(shown).collect::<Vec<_>>(), *expected, "{language:?}: {text}");
    }
}

#[test]
fn a_package_of_go_can_have_several_names() {
    assert_eq!(go_package_names("github.com/stripe/stripe-go/v76"), ["stripe", "stripe_go", "stripego"]);
    assert_eq!(go_package_names("gopkg.in/yaml.v3"), ["yaml"]);
    assert_eq!(go_package_names("github.com/nats-io/nats.go"), ["nats"]);
    assert_eq!(go_package_names("go-pkg/gomail"), ["gomail", "mail"]);
}

#[test]
fn the_parents_of_a_type_are_read() {
    for (language, text, expected) in [
        (Language::Python, "class A(B, c.D, Generic[T], make(), metaclass=M): pass", "B c.D Generic"),
        (Language::JavaScript, "class A extends b.C {}", "b.C"),
        (Language::JavaScript, "const A = class extends B {}", "B"),
        (Language::TypeScript, "class A extends B<T> implements C, d.E<T> {}", "B C d.E"),
        (Language::TypeScript, "abstract class A implements B {}", "B"),
        (Language::TypeScript, "interface A extends B, C {}", "B C"),
        (Language::Go, "package a\ntype A struct { B; *c.D; e struct { F } }", "B c.D"),
        (Language::Go, "package a\ntype A interface { B; c.D; e(); int | F }", "B c.D"),
        (Language::Rust, "trait A: B + c::D + 'static {}", "B c.D"),
        (Language::Rust, "impl A<T> for B<T> {}", "A"),
        (Language::Java, "class A<T> extends B<T> implements C, D<T> {}", "B C D"),
        (Language::Java, "record A(int b) implements C {}", "C"),
        (Language::Java, "enum A implements B { C }", "B"),
        (Language::Java, "interface A extends B, C {}", "B C"),
        (Language::Ruby, "class A < B::C\nend", "B.C"),
        (
            Language::Php,
            "<?php class A extends B implements C, \\D\\E { use F, G\\H { F::a insteadof H; } }",
            "B C D.E F G.H",
        ),
        (Language::Php, "<?php interface A extends B, C {} ", "B C"),
        (Language::Php, "<?php enum A: string implements B {} ", "B"),
        (Language::Cpp, "class A : public B, private virtual c::D, E<T> {};", "B c.D E"),
        (Language::CSharp, "class A : B, c.D, E<T> {}", "B c.D E"),
        (Language::Kotlin, "class A(b: Int) : B(b, C()), D {}", "B D"),
        (Language::Swift, "class A: B, C {}", "B C"),
    ] {
        let file = read(language, text.as_bytes()).expect("readable");
        let bases: Vec<&str> = file.definitions[0].bases.iter().map(|base| file.name(*base)).collect();
        assert_eq!(bases.join(" "), expected, "{language:?}: {text}");
    }
}
