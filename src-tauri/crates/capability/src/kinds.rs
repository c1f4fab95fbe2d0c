//! The kinds of files that neither a reader of code nor `commands` reads: whether they can hold code of the program, by their names and first bytes.

use diffsan_syntax::language::Language;

/// The content of a file that is not read as code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// No code: a document, a style sheet, an image. The names of one and of several.
    Inert(&'static str, &'static str),
    /// Data and settings, which are not code of the program.
    Data,
    /// SQL, which can only reach the database.
    Sql,
    /// Code, with the sentence that says that it is not read.
    Code(&'static str),
}

const DOCUMENT: Kind = Kind::Inert("document", "documents");
const TRANSLATION: Kind = Kind::Inert("translation", "translations");
/// A test. It does not show what the program does.
pub const TEST: Kind = Kind::Inert("test", "tests");
const SHELL: Kind = Kind::Code("this shell is not read");
const TEMPLATE: Kind = Kind::Code("templates of this kind are not read");
const LANGUAGE: Kind = Kind::Code("this language is not read");
const BUILD: Kind = Kind::Code("build scripts are not read");
const NATIVE: Kind = Kind::Code("native code is not read");
const ARCHIVE: Kind = Kind::Code("archives are not read");
const UNKNOWN: Kind = Kind::Code("its kind of file is not known");
/// The kind of a submodule.
pub const SUBMODULE: Kind = Kind::Code("submodules are not read");

/// Kinds by the extension, in lower case.
const BY_EXTENSION: &[(Kind, &str)] = &[
    (
        DOCUMENT,
        "md markdown mdown mkd rst adoc asciidoc asc txt text textile org tex bib rtf pdf doc docx odt odp ppt pptx xls xlsx ods \
         epub pod rdoc me license licence",
    ),
    (Kind::Inert("style sheet", "style sheets"), "css scss sass less styl stylus pcss postcss"),
    (
        Kind::Inert("image", "images"),
        "png jpg jpeg jpe gif webp avif bmp ico icns cur svg tif tiff heic psd ai eps xcf sketch fig drawio excalidraw",
    ),
    (Kind::Inert("font", "fonts"), "woff woff2 ttf otf eot"),
    (
        Kind::Inert("media file", "media files"),
        "mp3 mp4 m4a m4v wav ogg oga ogv webm mov avi flac aac mkv opus mid midi srt vtt",
    ),
    (TRANSLATION, "po pot mo xlf xliff arb strings stringsdict resx"),
    (Kind::Inert("snapshot", "snapshots"), "snap"),
    (
        Kind::Data,
        "json json5 jsonc jsonl ndjson geojson webmanifest yaml yml toml xml csv tsv ini cfg conf cnf config properties props targets \
         env lock lockfile lockb plist xsd wsdl dtd rss atom graphql gql graphqls proto avsc avdl thrift capnp fbs prisma dbml map sum mod work \
         mdc edn ron kdl hjson nt ttl rdf parquet arrow sqlite sqlite3 db dat data caddyfile htaccess har pem crt cer der key pub csr gpg sig sha256 md5 \
         log diff patch neon editorconfig service socket timer desktop entitlements pbxproj xcconfig xcscheme xcworkspacedata csproj \
         vbproj fsproj vcxproj sln slnx resolved tape cast example sample dist default keep gitkeep pro rules feature curl http rest \
         webc tmlanguage sublime-project code-workspace iml manifest tfvars tfstate ldif ics vcf eml mbox geo osm gpx kml stl obj mtl \
         gltf glb npy npz pt onnx safetensors dic aff wordlist bnf ebnf g4 pegjs lalrpop pest gbnf",
    ),
    (Kind::Sql, "sql psql pgsql plsql plpgsql tsql ddl dml"),
    (SHELL, "fish ksh csh tcsh command bats"),
    (Kind::Code("PowerShell is not read"), "ps1 psm1 psd1"),
    (Kind::Code("batch files are not read"), "bat cmd"),
    (Kind::Code("notebooks are not read"), "ipynb rmd qmd"),
    (
        BUILD,
        "mk mak make cmake ninja gn gni bzl bazel star gradle sbt ant nix dhall jsonnet libsonnet cue rego tf hcl pp bicep pkr \
         justfile jenkinsfile am ac m4 podspec",
    ),
    (
        TEMPLATE,
        "vue svelte astro html htm xhtml shtml mdx erb rhtml haml slim ejs eta hbs handlebars mustache pug jade twig jinja jinja2 j2 njk \
         nunjucks liquid tmpl tpl gotmpl gohtml gotext phtml jsp jspx jspf tag ftl ftlh vm mako cshtml vbhtml razor aspx ascx asp ashx \
         asmx cfm cfc eex heex leex latte mjml rabl stub marko riot dust soy templ gsp xsl xslt xsp",
    ),
    (
        LANGUAGE,
        "groovy gvy scala sc clj cljs cljc bb lua luau pl pm t raku r jl ex exs erl hrl hs lhs ml mli mll mly fs fsi fsx vb vbs bas \
         mm dart zig nim nims d cr v sv vhd vhdl pas dpr lpr f f90 f95 f03 for cob cbl cpy asm s cu cuh metal glsl vert frag geom comp \
         hlsl wgsl sol vy cairo move el lisp lsp cl scm ss rkt tcl awk sed applescript scpt ahk au3 coffee litcoffee iced ls elm purs re \
         rei res resi imba civet hx hack hh as mxml abap apex cls trigger ada adb ads idr agda lean coq prolog p6 pike rexx st \
         smali io janet fnl hy pyx pxd pxi ipy odin gleam roc mojo bal ballerina ino pde sml pony red reb factor forth 4th qml ui \
         gdscript gd tres tscn vim vimrc nu elv xonsh rc ps",
    ),
    (
        NATIVE,
        "so dll dylib a o obj lib exe com ko elf sys efi wasm wat node class pyc pyo pyd beam bc dex bin swf hex rom img iso",
    ),
    (
        ARCHIVE,
        "jar war ear aar zip tar gz tgz bz2 tbz xz txz zst 7z rar whl egg gem nupkg phar apk aab ipa deb rpm msi dmg app crx xpi vsix \
         pex pyz asar snapd flatpak appimage cab cpio",
    ),
];

/// Kinds by the whole name, in lower case. A name is more precise than an extension.
const BY_NAME: &[(Kind, &str)] = &[
    (
        DOCUMENT,
        "license licence copying copyright notice notices authors contributors changelog changes readme install todo history news \
         maintainers thanks patents credits codeowners owners version contributing security governance unlicense",
    ),
    (
        Kind::Data,
        "requirements.txt constraints.txt robots.txt go.sum go.mod cargo.lock gemfile gemfile.lock pipfile pipfile.lock composer.lock \
         package-lock.json procfile.options cname dvc.lock brewfile caddyfile \
         nginx.conf httpd.conf apache2.conf .htaccess lighttpd.conf haproxy.cfg",
    ),
    (
        BUILD,
        "makefile gnumakefile bsdmakefile kbuild cmakelists.txt meson.build meson_options.txt build build.bazel workspace \
         workspace.bazel module.bazel buck tiltfile jenkinsfile justfile earthfile sconstruct sconscript snakefile wscript \
         vagrantfile procfile configure",
    ),
    (LANGUAGE, "rakefile guardfile capfile podfile fastfile appfile matchfile dangerfile berksfile thorfile steepfile"),
];

/// Folders in which files have a kind that their extension does not show.
const BY_FOLDER: &[(Kind, &str, &str)] = &[
    (
        TRANSLATION,
        "locale locales lang langs i18n l10n translations",
        "json json5 yaml yml toml ftl properties xml txt csv",
    ),
    (Kind::Inert("snapshot", "snapshots"), "__snapshots__", ""),
    // Hooks of git have no extension.
    (SHELL, ".husky .githooks hooks", "."),
];

/// The first bytes of native code.
const NATIVE_STARTS: &[&[u8]] = &[
    b"\x7fELF",
    b"\0asm",
    b"\xca\xfe\xba\xbe",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"MZ\x90\0",
];

/// Returns the kind of a file by its path and the first bytes of its text, as far as they are known.
pub fn kind(path: &str, start: &[u8]) -> Kind {
    let by_name = by_name(path);
    match by_name {
        Kind::Code(_) => by_name,
        _ if NATIVE_STARTS.iter().any(|native| start.starts_with(native)) => NATIVE,
        _ if start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).starts_with(b"#!") => {
            Kind::Code("scripts without the extension of a language are not read")
        }
        _ if path.to_ascii_lowercase().ends_with(".svg") && contains(start, b"<script") => {
            Kind::Code("scripts in images are not read")
        }
        kind => kind,
    }
}

fn by_name(path: &str) -> Kind {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let has = |list: &str, word: &str| list.split_whitespace().any(|one| one == word);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    if let Some((kind, _)) = BY_NAME.iter().find(|(_, names)| has(names, name)) {
        return *kind;
    }
    // `Makefile.am`, `requirements-dev.txt`, `.env.production`.
    if let Some((first, _)) = name.split_once('.').filter(|(first, _)| *first == "makefile") {
        return by_name(first);
    }
    if name.starts_with("requirements") && name.ends_with(".txt") || name.starts_with(".env.") {
        return Kind::Data;
    }
    let in_folder = |folder: &str| folders.split('/').any(|part| part == folder);
    for (kind, names, extensions) in BY_FOLDER {
        let fits = match *extensions {
            "" => true,
            "." => extension.is_none(),
            list => extension.is_some_and(|extension| has(list, extension)),
        };
        if fits && names.split_whitespace().any(in_folder) {
            return *kind;
        }
    }
    let Some(extension) = extension else {
        // Most names without an extension are settings. Scripts are found by their first line.
        return Kind::Data;
    };
    if let Some((kind, _)) = BY_EXTENSION.iter().find(|(_, list)| has(list, extension)) {
        return *kind;
    }
    match Language::of(path) {
        Some(language) => Kind::Code(not_read(language)),
        // The pages of a manual: `diffsan.1`.
        None if extension.len() == 1 && extension.starts_with(|char: char| char.is_ascii_digit()) => DOCUMENT,
        // `.gitignore`, `.npmrc`
        None if name.starts_with('.') && !name[1..].contains('.') => Kind::Data,
        None if extension.ends_with("rc") || extension.ends_with("ignore") => Kind::Data,
        None => UNKNOWN,
    }
}

fn not_read(language: Language) -> &'static str {
    match language {
        Language::C => "C is not read",
        Language::Cpp => "C++ is not read",
        Language::CSharp => "C# is not read",
        Language::Kotlin => "Kotlin is not read",
        Language::Swift => "Swift is not read",
        _ => "this language is not read",
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(&text.to_ascii_lowercase(), part).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(path: &str, start: &str) -> Option<&'static str> {
        match kind(path, start.as_bytes()) {
            Kind::Code(reason) => Some(reason),
            _ => None,
        }
    }

    #[test]
    fn files_that_can_hold_code_are_found_by_name_and_first_bytes() {
        for (path, reason) in [
            ("a.kt", "Kotlin is not read"),
            ("deploy.fish", "this shell is not read"),
            ("Makefile.am", "build scripts are not read"),
            ("x.haml", "templates of this kind are not read"),
            ("m.IPYNB", "notebooks are not read"),
            ("lib/x.so", "native code is not read"),
            ("lib/x.jar", "archives are not read"),
            ("CMakeLists.txt", "build scripts are not read"),
            (".githooks/pre-commit", "this shell is not read"),
            ("a.b/unheard", ""),
            ("a.unheard", "its kind of file is not known"),
        ] {
            assert_eq!(code(path, "").unwrap_or_default(), reason, "{path}");
        }
        let scripts = "scripts without the extension of a language are not read";
        assert_eq!(code("bin/run", "#!/bin/sh\ncurl x\n"), Some(scripts));
        assert_eq!(code("notes.txt", "#!/bin/sh\ncurl x\n"), Some(scripts));
        assert_eq!(code("bin/run", "\x7fELF\x02"), Some("native code is not read"));
        assert_eq!(code("a.svg", "<svg><script>fetch('/')</script></svg>"), Some("scripts in images are not read"));
        assert_eq!(code("a.svg", "<svg></svg>"), None);
    }

    #[test]
    fn documents_styles_and_media_hold_no_code_and_settings_are_data() {
        for (path, name) in [
            ("README.md", "document"),
            ("LICENSE", "document"),
            ("doc/diffsan.1", "document"),
            ("a.scss", "style sheet"),
            ("a.woff2", "font"),
            ("a.mp3", "media file"),
            ("config/locales/en.yml", "translation"),
            ("src/i18n/de.json", "translation"),
            ("src/__snapshots__/a.ts.snap", "snapshot"),
        ] {
            assert!(matches!(kind(path, b""), Kind::Inert(one, _) if one == name), "{path}: {:?}", kind(path, b""));
        }
        for path in [
            "composer.lock",
            ".github/dependabot.yml",
            "requirements-dev.txt",
            ".env.production",
            ".gitignore",
            "a.toml",
            ".eslintrc",
            "bin/settings",
            "webserver-configs/Caddyfile",
            "deploy/site.caddyfile",
            "nginx.conf",
            "public/.htaccess",
            "httpd.conf",
        ] {
            assert_eq!(kind(path, b""), Kind::Data, "{path}");
        }
        assert_eq!(kind("db/1.sql", b""), Kind::Sql);
    }
}
