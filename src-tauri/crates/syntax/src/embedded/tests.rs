use super::*;

/// Returns the visible code without its blanks, the language, and whether other code is left.
fn code(path: &str, text: &str) -> (String, Language, bool) {
    let found = Format::of(path).expect("a format").code(path, text);
    assert_eq!(found.text.matches('\n').count(), text.matches('\n').count(), "{path}: {:?}", found.text);
    let words: Vec<&str> = found.text.split_whitespace().collect();
    (words.join(" "), found.language, !found.other_code.is_empty())
}

#[test]
fn scripts_stay_at_their_places() {
    let text = "<template>\n  <p @click=\"save\">ä</p>\n</template>\n<script setup lang=\"ts\">\nimport a from './a.vue'\nconst b: string = a()\n</script>\n<style>p { color: red }</style>\n";
    let found = Format::Vue.code("a.vue", text);
    assert_eq!(found.text.len(), text.len());
    assert_eq!(found.text.find("import"), text.find("import"));
    assert_eq!(found.text.find("a()"), text.find("a()"));
    assert_eq!(code("a.vue", text).0, "import a from './a.vue' const b: string = a() ;");
}

#[test]
fn pages_have_scripts_and_handlers() {
    let script = (";send('x'); ; a = 1 ;".to_owned(), Language::TypeScript, false);
    assert_eq!(code("a.html", "<b onclick=\"send('x')\">;</b><script>; a = 1\n</script><p on=x>"), script);
    assert_eq!(code("a.html", "<!-- <script>a()</script> --><script type=\"application/ld+json\">{}</script>").0, "");
    assert_eq!(code("a.html", "<SCRIPT TYPE=module>\na()\n</SCRIPT>").0, "a() ;");
    assert_eq!(code("a.vue", "<script lang=\"tsx\">\na()\n</script>").1, Language::Tsx);
    assert_eq!(code("a.html", "<script src=\"js/a.js\"></script>").0, ";import \"./js/a.js\" ;");
    assert_eq!(code("a.vue", "<script src=\"./a.ts\" lang=\"ts\"></script>").0, ";import \"./a.ts\" ;");
    assert!(code("a.html", "<script src=\"https://example.org/a.js\"></script>").2);
    assert!(code("a.html", "<script type=\"text/python\">a()</script>").2);
    assert!(code("a.vue", "<script lang=\"coffee\">a()</script>").2);
}

#[test]
fn expressions_of_svelte_are_statements() {
    for (text, expected) in [
        ("<p class=\"x {a()}\">{b()}</p>", ";a(); ;b();"),
        ("<p on:click={() => save('}')} {...all()} style={{ a: b }}/>", ";() => save('}'); ; all(); !{ a: b };"),
        ("{#if a()}x{:else if b()}y{:else}z{/if}", "; a(); ; b(); ; ; ; ;"),
        ("{#each list() as one, i (one.id)}{one.run()}{/each}", "list();var one, i;(one.id); ;one.run(); ; ;"),
        ("{#each list() as { id }}{id}{/each}", "list();var { id }; ;id; ; ;"),
        ("{#await load() then all}{all}{/await}", "load();var all; ;all; ; ;"),
        ("{#snippet row(one)}{one.a()}{/snippet}", ";function row(one){;one.a();}"),
        ("{@const a = b()}{@html c()}", "; var a = b();; c();"),
        ("<style>p { color: red }</style><script>let a = 1</script>", "let a = 1;"),
    ] {
        let (found, ..) = code("a.svelte", text);
        let plain = |text: &str| text.replace(' ', "");
        assert_eq!(plain(&found), plain(expected), "{text}");
    }
}

#[test]
fn the_ruby_of_templates_is_read() {
    let text =
        "<%# a comment %>\n<% items.each do |item| %>\n  <%= link_to item.name, item -%> <%% raw %>\n<% end %>\n";
    assert_eq!(code("a.html.erb", text).0, "items.each do |item| ; link_to item.name, item ; end ;");
    assert!(!code("a.html.erb", text).2);
    assert!(code("a.html.erb", "<script>send()</script>").2);
    assert!(code("a.html.erb", "<a onclick=\"send()\">").2);
    assert!(code("a.js.erb", "send('<%= name %>')").2);
    assert!(!code("a.yml.erb", "key: <%= name %>").2);
}

#[test]
fn the_php_of_blade_is_read() {
    for (text, expected) in [
        ("<p>hello {{ name() }} {!! raw() !!}{{-- no() --}} @{{ no() }}</p>", "<?php ; name() ; ; raw() ;"),
        ("@extends('layout')\n{{ a() }}", "<?php ['layout'] ; a() ;"),
        ("@foreach (items() as $one)\n{{ $one }}\n@endforeach", "<?php foreach (items() as $one) ; $one ;"),
        ("<p>     </p>@php $a = b(); @endphp", "<?php ; $a = b(); ;"),
        ("<p>     </p>@include('x', ['a' => b()]) me@example.org @media (print)", "<?php ; ['x', ['a' => b()]]"),
        ("<x-alert :type=\"kind()\" title=\"{{ a() }}\"/>", "<?php ;kind(); ; a() ;"),
        ("{{ a() }}", "<?php ; a() ;"),
    ] {
        let (found, ..) = code("a.blade.php", text);
        let plain = |text: &str| text.replace([' ', '\n', ';'], "");
        assert_eq!(plain(&found), plain(expected), "{text}");
    }
}

#[test]
fn templates_of_engines_have_scripts_and_names() {
    let names = |path: &str, text: &str| {
        let found = Format::of(path).expect("a format").code(path, text);
        found.names.into_iter().map(|(name, line)| format!("{name}:{line}")).collect::<Vec<_>>()
    };
    for (path, text, expected) in [
        (
            "a.hbs",
            "{{#if user.name}}\n{{user.posts.delete \"a.b\"}}{{/if}}",
            vec!["user.name:1", "user.posts.delete:2"],
        ),
        ("a.hbs", "{{!-- a.b --}}{{{page}}}{{send to=x}}", vec!["template.page:1", "template.send:1", "template.to:1"]),
        ("a.tmpl", "{{/* a.b */}}{{- range .Repo.Files -}}{{.Name | html}}", vec!["Repo.Files:1", "template.Name:1"]),
        ("a.twig", "{# a.b #}{% for one in shop.items() %}{{ 'a.b' }}", vec!["shop.items:1"]),
        ("a.html.j2", "{{ now }}", vec!["template.now:1"]),
    ] {
        let found = names(path, text);
        let is_there = |name: &&str| found.iter().any(|one| one == name);
        assert!(expected.iter().all(is_there), "{text}: {found:?}");
        assert!(!found.iter().any(|one| one.starts_with("a.b")), "{text}: {found:?}");
    }
    let script = "<script>var a = {{ .Json }};\nb('{{ .C }}')</script><i onclick=\"c()\">";
    assert_eq!(code("a.tmpl", script).0, "var a = 0 ; b('0 '); ;c();");
    assert!(!code("a.tmpl", script).2);
    assert!(code("a.twig", "<script src=\"https://example.org/a.js\"></script>").2);
    assert!(code("run.sh.j2", "rm {{ path }}").2);
    assert!(code("run.j2", "#!/bin/sh\nrm {{ path }}").2);
    assert!(code("main.go.tmpl", "package main").2);
    assert!(!code("mail.txt.hbs", "Hello {{name}}").2);
}

/// Any text has code with the same lines.
#[test]
fn broken_texts_keep_their_lines() {
    let parts = [
        "<script",
        ">",
        "{",
        "}",
        "<%",
        "%>",
        "{{",
        "@if(",
        "{%",
        "\n",
        "'",
        "ä",
        "{#each a as",
        "src=\"",
        "</script>",
        "<?php",
        "é)",
    ];
    for seed in 0..4000_usize {
        let text: String = (0..8).map(|at| parts[(seed * 31 + at * at * 7 + seed / (at + 1)) % parts.len()]).collect();
        for path in ["a.vue", "a.svelte", "a.html", "a.erb", "a.blade.php", "a.twig", "a.hbs"] {
            let _ = code(path, &text);
        }
    }
}
