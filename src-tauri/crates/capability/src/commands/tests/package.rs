//! Tests the effects and the open uses of the scripts of packages.

use super::{check, reached};

const PACKAGE: &str = "{\n\t\"name\": \"a\",\n\t\"scripts\": {\n\t\t\"clean\": \"rm x\",\n\t\t\"prebuild\": \"npm run clean\",\n\t\t\"build\": \
                       \"node build.js\",\n\t\t\"git\": \"git\",\n\t\t\"postinstall\": \"curl x\",\n\t\t\"test\": \"cd lib && ./a.sh\"\n\t}\n}\n";

fn finds(files: &[(&str, &str)], wanted: &str) -> bool {
    reached(files).0.iter().any(|found| found.contains(wanted))
}

fn with_package(script: &str) -> [(&str, &str); 4] {
    [("run.sh", script), ("package.json", PACKAGE), ("build.js", "fetch('x')\n"), ("lib/a.sh", "rm y")]
}

#[test]
fn scripts_of_a_package_run_commands() {
    check(
        &[("package.json", PACKAGE), ("build.js", "fetch('x')\n"), ("lib/a.sh", "rm y")],
        &[
            "4 file.delete rm",
            "5 file.delete npm → rm",
            "5 process.run npm run",
            "6 http.request node → fetch",
            "7 open git: no table lists the command `git`",
            "8 http.request curl",
            "9 file.delete ./a.sh → rm",
        ],
    );
    check(&[("package.json", "{ \"name\": \"a\" }")], &[]);
    assert!(reached(&[("package.json", "{ \"scripts\": { \"a\": \"rm x\" ")]).1);
}

#[test]
fn commands_of_package_managers_run_scripts() {
    for (script, wanted) in [
        ("npm run clean", "file.delete npm → rm"),
        ("npm run build", "file.delete npm → npm → rm"),
        ("npm run-script build", "http.request npm → node → fetch"),
        ("npm test", "file.delete npm → ./a.sh → rm"),
        ("npm ci", "http.request npm → curl"),
        ("npm install --no-audit", "http.request npm → curl"),
        ("yarn", "http.request yarn → curl"),
        ("yarn install --frozen-lockfile", "http.request yarn → curl"),
        ("yarn clean", "file.delete yarn → rm"),
        ("yarn run clean", "file.delete yarn → rm"),
        ("pnpm clean", "file.delete pnpm → rm"),
        ("pnpm run clean", "file.delete pnpm → rm"),
        ("bun run clean", "file.delete bun → rm"),
        ("npm run git -- push", "network.use git push"),
        ("sudo npm run clean", "file.delete sudo → rm"),
        ("cd lib; npm --prefix .. run clean", "file.delete npm → rm"),
    ] {
        let files = with_package(script);
        assert!(finds(&files, wanted), "{script}: {:?}", reached(&files));
    }
    for script in ["npm run clean", "npm ci", "npm run", "yarn clean", "bun run clean"] {
        let files = with_package(script);
        assert!(!finds(&files, " open "), "{script}: {:?}", reached(&files));
    }
    let inner = ("web/package.json", "{ \"scripts\": { \"x\": \"rm x\" } }");
    for script in [
        "npm --prefix web run x",
        "cd web && npm run x",
        "yarn --cwd web x",
        "pnpm -C web run x",
        "npm run x --prefix=web",
    ] {
        assert!(finds(&[("run.sh", script), inner], "→ rm"), "{script}");
    }
    check(
        &[("Makefile", "all:\n\tnpm run x\n"), ("package.json", "{\"scripts\": {\"x\": \"rm x\"}}")],
        &["2 file.delete npm → rm", "2 process.run npm run"],
    );
}

#[test]
fn scripts_that_are_not_known_are_open() {
    for script in [
        "npm run missing",
        "npm start",
        "npm run \"$1\"",
        "npm run clean -w web",
        "npm run clean --workspaces",
        "npm install -w web",
        "yarn workspace web clean",
        "yarn missing",
        "pnpm --filter web clean",
        "pnpm -r run clean",
        "pnpm missing",
        "bun test",
        "cd web; npm run clean",
        "cd \"$1\"; npm run clean",
        "npm --prefix \"$1\" run clean",
        "npm run git -- $GIT_ARGS",
        "npm run git -- frobnicate",
    ] {
        let files = with_package(script);
        assert!(finds(&files, " open "), "{script}: {:?}", reached(&files));
    }
}
