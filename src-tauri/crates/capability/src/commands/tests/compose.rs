//! Tests the effects and the open uses of compose files.

use super::{check, reached};

#[test]
fn services_need_images_and_run_commands() {
    let compose = "services:\n  db:\n    image: postgres:${TAG:-16}\n    environment: { A: b }\n    volumes: [\"a:/b\"]\n    \
                   ports: [\"5432:5432\"]\n  app:\n    build: .\n    command: sh -c \"rm x\"\n    healthcheck:\n      test: [CMD, curl, x]\n    \
                   privileged: true\n  job:\n    build: { context: ./job, dockerfile: a.dockerfile }\n    command:\n      - ./start.sh\n    \
                   healthcheck:\n      test: [\"CMD-SHELL\", \"rm y || exit 1\"]\n";
    check(
        &[
            ("docker-compose.yml", compose),
            ("Dockerfile", "FROM scratch\nRUN curl x\n"),
            ("job/a.dockerfile", "FROM alpine\n"),
            ("start.sh", "rm x\n"),
        ],
        &[
            "3 container.start db",
            "3 package.need image postgres",
            "6 http.serve port 5432:5432",
            "8 container.start app",
            "8 http.request Dockerfile → curl",
            "9 file.delete rm",
            "9 shell.run sh",
            "11 http.request curl",
            "12 permission.change privileged",
            "14 container.start job",
            "14 package.need ./job/a.dockerfile → image alpine",
            "16 file.delete ./start.sh → rm",
            "18 file.delete rm",
            "18 process.exit exit",
        ],
    );
    check(
        &[("compose.yaml", "services:\n  a: { image: redis, privileged: false }\n")],
        &["2 container.start a", "2 package.need image redis"],
    );
    check(
        &[
            ("compose.dev.yml", "include: [other/compose.yml]\n"),
            ("other/compose.yml", "services:\n  a: { image: redis }\n"),
        ],
        &["1 container.start other/compose.yml → a", "1 package.need other/compose.yml → image redis"],
    );
}

#[test]
fn what_is_not_known_of_a_service_is_open() {
    for text in [
        "services:\n  a: { image: redis, command: rm x }\n",
        "services:\n  a: { image: redis, entrypoint: [rm, x] }\n",
        "services:\n  a: { image: redis, healthcheck: { test: rm x } }\n",
        "services:\n  a: { image: redis, post_start: [{ command: rm x }] }\n",
        "services:\n  a: { build: nowhere }\n",
        "services:\n  a: { build: https://example.org/a.git }\n",
        "services:\n  a: { build: \"${DIR}\" }\n",
        "services:\n  a: { build: { dockerfile_inline: \"FROM x\" } }\n",
        "services:\n  a: { build: ., command: \"${CMD}\" }\n",
        "services:\n  a: { build: ., command: \"$CMD x\" }\n",
        "services:\n  a: { build: ., command: [--rm, x] }\n",
        "services:\n  a: { build: ., command: --rm x }\n",
        "services:\n  a: { build: ., command: /app/run.sh }\n",
        "services:\n  a: { extends: { file: other.yml, service: b } }\n",
        "services:\n  a: { build: ., develop: { watch: [] } }\n",
        "include: [nowhere.yml]\n",
        "include: [\"oci://x/y\"]\n",
        "a: { image: redis, command: rm x }\n",
        "services: [",
    ] {
        let (found, is_incomplete) = reached(&[("compose.yml", text), ("Dockerfile", "FROM scratch\n")]);
        assert!(is_incomplete || found.iter().any(|one| one.contains(" open ")), "{text}: {found:?}");
    }
}
