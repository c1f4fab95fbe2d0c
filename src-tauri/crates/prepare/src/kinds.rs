//! Classifies files by their paths, following the conventions of many languages. No file is read.

use diffsan_change::RepoPath;

/// The kind of a file, in descending order of relevance for a reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Source code, and everything that is of no other kind.
    Source,
    /// Tests and their data.
    Test,
    /// Settings and build files.
    Config,
    /// Documentation.
    Docs,
    /// Generated or third-party code.
    Generated,
    /// Lock files with exact versions of dependencies.
    Lock,
}

const LOCK_NAMES: &[&str] = &[
    ".terraform.lock.hcl",
    "bun.lock",
    "bun.lockb",
    "cargo.lock",
    "cartfile.resolved",
    "composer.lock",
    "conan.lock",
    "deno.lock",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "go.work.sum",
    "gradle.lockfile",
    "mix.lock",
    "module.bazel.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.resolved",
    "packages.lock.json",
    "paket.lock",
    "pdm.lock",
    "pipfile.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "podfile.lock",
    "poetry.lock",
    "pubspec.lock",
    "rebar.lock",
    "shard.lock",
    "stack.yaml.lock",
    "uv.lock",
    "yarn.lock",
];

const VENDORED_FOLDERS: &[&str] = &[
    ".yarn/cache",
    ".yarn/plugins",
    ".yarn/releases",
    "bower_components",
    "carthage/checkouts",
    "godeps/_workspace",
    "node_modules",
    "pods",
    "site-packages",
    "third-party",
    "third_party",
    "thirdparty",
    "vendor",
    "vendored",
];

const GENERATED_FOLDERS: &[&str] = &["__generated__", "generated"];

/// Endings of the names of generated files.
const GENERATED_ENDINGS: &[&str] = &[
    ".css.map",
    ".designer.cs",
    ".freezed.dart",
    ".g.cs",
    ".g.dart",
    ".js.map",
    ".mjs.map",
    ".pb.cc",
    ".pb.go",
    ".pb.h",
    ".pb.swift",
    "_grpc.pb.go",
    "_grpc_pb.js",
    "_pb.d.ts",
    "_pb.js",
    "_pb.rb",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
];

const TEST_FOLDERS: &[&str] = &[
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "__tests__",
    "cypress",
    "e2e",
    "fixtures",
    "spec",
    "specs",
    "test",
    "testdata",
    "tests",
];

const CONFIG_EXTENSIONS: &[&str] = &[
    "bzl",
    "cfg",
    "cmake",
    "conf",
    "editorconfig",
    "env",
    "gradle",
    "ini",
    "json",
    "json5",
    "jsonc",
    "lock",
    "mk",
    "plist",
    "properties",
    "toml",
    "xml",
    "yaml",
    "yml",
];

const CONFIG_NAMES: &[&str] = &[
    "build.bazel",
    "cmakelists.txt",
    "codeowners",
    "containerfile",
    "dockerfile",
    "go.mod",
    "gnumakefile",
    "jenkinsfile",
    "justfile",
    "makefile",
    "meson.build",
    "procfile",
    "requirements.txt",
    "vagrantfile",
    "workspace",
];

const DOCS_EXTENSIONS: &[&str] = &["adoc", "asciidoc", "markdown", "md", "mdx", "org", "pod", "rst", "tex", "txt"];

const DOCS_NAMES: &[&str] =
    &["authors", "changelog", "changes", "contributing", "copying", "history", "license", "news", "notice", "readme"];

/// A path in the forms in which the tables are searched.
pub(super) struct Name {
    path: String,
    name: String,
    extension: Option<String>,
}

impl Name {
    pub(super) fn new(path: &RepoPath) -> Self {
        let lower = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_lowercase();
        Self { path: lower(path.as_bytes()), name: lower(path.file_name()), extension: path.extension() }
    }

    /// Returns the extension in lower case.
    pub(super) fn extension(&self) -> Option<&str> {
        self.extension.as_deref()
    }

    /// Returns the name of the lock file, if it is one.
    pub(super) fn lock(&self) -> Option<&'static str> {
        LOCK_NAMES.iter().find(|name| **name == self.name).copied()
    }

    /// Returns the folder of third-party code that contains the file, if any.
    pub(super) fn vendored(&self) -> Option<&'static str> {
        VENDORED_FOLDERS.iter().find(|folder| self.is_under(folder)).copied()
    }

    /// Returns the part of the path that marks the file as generated, if any.
    pub(super) fn generated(&self) -> Option<&'static str> {
        if self.name.starts_with("zz_generated.") {
            return Some("zz_generated.*");
        }
        let stem = self.name.rsplit_once('.').map_or(&*self.name, |(stem, _)| stem);
        let middle = [(".generated", "*.generated.*"), ("_generated", "*_generated.*"), (".gen", "*.gen.*")];
        let by_ending = GENERATED_ENDINGS.iter().find(|ending| self.name.ends_with(*ending)).copied();
        let by_middle = || middle.iter().find(|(end, _)| stem.ends_with(end)).map(|(_, shown)| *shown);
        by_ending.or_else(by_middle).or_else(|| GENERATED_FOLDERS.iter().find(|folder| self.is_under(folder)).copied())
    }

    /// Returns whether the file's name marks it as minified.
    pub(super) fn minified(&self) -> bool {
        let stem = self.name.rsplit_once('.').map_or("", |(stem, _)| stem);
        self.is_web() && (stem.ends_with(".min") || stem.ends_with("-min") || stem.ends_with(".bundle"))
    }

    /// Returns whether the file is in a language that is often minified.
    pub(super) fn is_web(&self) -> bool {
        matches!(self.extension(), Some("js" | "mjs" | "cjs" | "css" | "html" | "htm"))
    }

    /// Returns the kind of the file.
    pub(super) fn kind(&self) -> Kind {
        let extension = self.extension().unwrap_or_default();
        if self.lock().is_some() {
            Kind::Lock
        } else if self.generated().is_some() || self.vendored().is_some() || self.minified() {
            Kind::Generated
        } else if self.is_test() {
            Kind::Test
        } else if self.is_docs(extension) {
            Kind::Docs
        } else if self.is_config(extension) {
            Kind::Config
        } else {
            Kind::Source
        }
    }

    fn is_test(&self) -> bool {
        let stem = self.name.split('.').next().unwrap_or_default();
        TEST_FOLDERS.iter().any(|folder| self.is_under(folder))
            || stem.starts_with("test_")
            || ["_test", "_tests", "_spec", "tests", "-test"]
                .iter()
                .any(|end| stem.ends_with(end) && stem.len() > end.len())
            || (stem.len() > 4
                && stem.ends_with("test")
                && matches!(self.extension(), Some("java" | "kt" | "cs" | "php" | "swift" | "scala")))
            || [".test.", ".spec.", ".cy."].iter().any(|part| self.name.contains(part))
            || self.name == "conftest.py"
    }

    fn is_docs(&self, extension: &str) -> bool {
        let stem = self.name.split('.').next().unwrap_or_default();
        (DOCS_EXTENSIONS.contains(&extension) && !CONFIG_NAMES.contains(&&*self.name)) || DOCS_NAMES.contains(&stem)
    }

    fn is_config(&self, extension: &str) -> bool {
        CONFIG_EXTENSIONS.contains(&extension)
            || CONFIG_NAMES.contains(&&*self.name)
            || self.name.starts_with("dockerfile.")
            || (self.name.starts_with('.') && !extension.is_empty() || self.name.starts_with(".git"))
    }

    fn is_under(&self, folder: &str) -> bool {
        let mut rest = &*self.path;
        while let Some(at) = rest.find(folder) {
            let starts = at == 0 || rest.as_bytes()[at - 1] == b'/';
            if starts && rest.as_bytes().get(at + folder.len()) == Some(&b'/') {
                return true;
            }
            rest = &rest[at + folder.len()..];
            // The remaining text begins inside a name. The next match must begin at a slash.
            match rest.find('/') {
                Some(slash) => rest = &rest[slash..],
                None => return false,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priority_follows_from_the_file_name() {
        let cases = [
            ("src/main.rs", Kind::Source),
            ("app/latest.py", Kind::Source),
            ("contest.go", Kind::Source),
            ("src/testing.rs", Kind::Source),
            ("Makefile", Kind::Config),
            ("requirements.txt", Kind::Config),
            (".github/workflows/ci.yml", Kind::Config),
            ("tests/a.rs", Kind::Test),
            ("pkg/a_test.go", Kind::Test),
            ("ui/a.test.ts", Kind::Test),
            ("src/FooTest.java", Kind::Test),
            ("test_a.py", Kind::Test),
            ("README", Kind::Docs),
            ("docs/guide.md", Kind::Docs),
            ("Cargo.lock", Kind::Lock),
            ("web/package-lock.json", Kind::Lock),
            ("api/v1/x.pb.go", Kind::Generated),
            ("a/vendor/b/c.go", Kind::Generated),
            ("vendored.go", Kind::Source),
            ("app.min.js", Kind::Generated),
            ("ui/types.gen.ts", Kind::Generated),
        ];
        for (path, kind) in cases {
            assert_eq!(Name::new(&RepoPath::from(path)).kind(), kind, "{path}");
        }
    }
}
