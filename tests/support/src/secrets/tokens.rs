//! Secrets with a recognizable form, in every notation of a diff.

use super::notations::{as_diff, count, written};
use super::{Case, Random};

type Make = fn(&mut Random) -> String;

const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const TOKEN: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/// The class, a common key, and a generator of the value.
const CLASSES: &[(&str, &str, Make)] = &[
    ("aws-id", "aws key", |r| format!("AKIA{}", r.chars(BASE32, 16))),
    ("aws-secret", "aws secret access key", |r| r.base64(40)),
    ("github-classic", "token", |r| format!("ghp_{}", r.alnum(36))),
    ("github-server", "value", |r| format!("ghs_{}", r.alnum(36))),
    ("github-fine", "gh", |r| format!("github_pat_{}_{}", r.alnum(22), r.alnum(59))),
    ("gitlab-personal", "ci", |r| format!("glpat-{}", r.chars(TOKEN, 20))),
    ("gitlab-runner", "runner", |r| format!("glrt-{}", r.chars(TOKEN, 20))),
    ("gitlab-deploy", "deploy", |r| format!("gldt-{}", r.chars(TOKEN, 20))),
    ("slack-bot", "slack", |r| {
        format!("xoxb-{}-{}-{}", r.chars("123456789", 12), r.chars("123456789", 12), r.alnum(24))
    }),
    ("slack-hook", "url", |r| {
        format!("https://hooks.slack.com/services/T{}/B{}/{}", r.chars(BASE32, 8), r.chars(BASE32, 8), r.alnum(24))
    }),
    ("stripe", "stripe", |r| format!("sk_live_{}", r.alnum(24))),
    ("stripe-restricted", "stripe", |r| format!("rk_test_{}", r.alnum(99))),
    ("openai-project", "openai", |r| format!("sk-proj-{}T3BlbkFJ{}", r.chars(TOKEN, 74), r.chars(TOKEN, 74))),
    ("openai-old", "openai", |r| format!("sk-{}T3BlbkFJ{}", r.alnum(20), r.alnum(20))),
    ("anthropic", "llm", |r| format!("sk-ant-api03-{}AA", r.chars(TOKEN, 93))),
    ("google-api", "maps", |r| format!("AIza{}", r.chars(TOKEN, 35))),
    ("google-client", "oauth", |r| format!("GOCSPX-{}", r.chars(TOKEN, 28))),
    ("npm", "npm", |r| format!("npm_{}", r.alnum(36))),
    ("pypi", "pypi", |r| format!("pypi-AgEIcHlwaS5vcmc{}", r.chars(TOKEN, 150))),
    ("rubygems", "gem", |r| format!("rubygems_{}", r.hex(48))),
    ("sendgrid", "mail", |r| format!("SG.{}.{}", r.chars(TOKEN, 22), r.chars(TOKEN, 43))),
    ("twilio", "sms", |r| format!("SK{}", r.hex(32))),
    ("mailgun", "mail", |r| format!("key-{}", r.hex(32))),
    ("mailchimp", "mailchimp", |r| format!("{}-us{}", r.hex(32), 10 + r.below(10))),
    ("telegram", "telegram bot", |r| format!("{}:AA{}", r.chars("123456789", 10), r.chars(TOKEN, 33))),
    ("discord-hook", "hook", |r| {
        format!("https://discord.com/api/webhooks/{}/{}", r.chars("123456789", 18), r.chars(TOKEN, 68))
    }),
    ("digitalocean", "do", |r| format!("dop_v1_{}", r.hex(64))),
    ("shopify", "shop", |r| format!("shpat_{}", r.hex(32))),
    ("square", "square", |r| format!("sq0atp-{}", r.chars(TOKEN, 22))),
    ("vault", "vault", |r| format!("hvs.{}", r.chars(TOKEN, 95))),
    ("terraform", "tf", |r| format!("{}.atlasv1.{}", r.alnum(14), r.chars(TOKEN, 67))),
    ("databricks", "databricks", |r| format!("dapi{}", r.hex(32))),
    ("huggingface", "hf", |r| format!("hf_{}", r.chars("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 34))),
    ("grafana", "grafana", |r| format!("glsa_{}_{}", r.alnum(32), r.hex(8))),
    ("newrelic", "newrelic", |r| format!("NRAK-{}", r.chars(BASE32, 27))),
    ("atlassian", "jira", |r| format!("ATATT3xFfGF0{}={}", r.chars(TOKEN, 172), r.chars("0123456789ABCDEF", 8))),
    ("linear", "linear", |r| format!("lin_api_{}", r.alnum(40))),
    ("notion", "notion", |r| format!("ntn_{}{}", r.chars("123456789", 11), r.alnum(35))),
    ("azure-client", "azure", |r| format!("{}8Q~{}", r.alnum(3), r.chars(TOKEN, 34))),
    ("azure-storage", "connection", |r| {
        format!(
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={}==;EndpointSuffix=core.windows.net",
            r.base64(86)
        )
    }),
    ("jwt", "session", |r| format!("eyJhbGciOiJIUzI1NiJ9.eyJ{}.{}", r.alnum(40), r.chars(TOKEN, 43))),
    ("url", "database url", |r| format!("postgres://app:{}@db.internal:5432/main", r.alnum(16))),
    ("url-redis", "redis url", |r| format!("redis://:{}@cache:6379/0", r.alnum(20))),
    ("bearer", "header", |r| format!("Authorization: Bearer {}", r.chars(TOKEN, 40))),
    ("postman", "postman", |r| format!("PMAK-{}-{}", r.hex(24), r.hex(34))),
    ("pulumi", "pulumi", |r| format!("pul-{}", r.hex(40))),
    ("doppler", "doppler", |r| format!("dp.pt.{}", r.alnum(43))),
    ("planetscale", "ps", |r| format!("pscale_tkn_{}", r.chars(TOKEN, 43))),
    ("heroku", "heroku", |r| format!("HRKU-AA{}", r.chars(TOKEN, 58))),
    ("perplexity", "llm", |r| format!("pplx-{}", r.alnum(48))),
    ("sentry", "sentry", |r| format!("sntryu_{}", r.hex(64))),
    ("docker", "docker", |r| format!("dckr_pat_{}", r.chars(TOKEN, 27))),
    ("age", "age", |r| format!("AGE-SECRET-KEY-1{}", r.chars("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58))),
    ("adafruit", "adafruit key", |r| r.chars("abcdefghijklmnopqrstuvwxyz0123456789", 32)),
    ("datadog", "datadog api key", |r| r.chars("abcdefghijklmnopqrstuvwxyz0123456789", 40)),
    ("okta", "okta token", |r| format!("00{}", r.chars(TOKEN, 40))),
    ("airtable", "airtable key", |r| r.chars("abcdefghijklmnopqrstuvwxyz0123456789", 17)),
    ("bcrypt", "stored", |r| format!("$2b$12${}", r.alnum(53))),
    ("square-hash", "stored", |r| format!("$6${}${}", r.alnum(8), r.alnum(86))),
];

/// Returns the secret part of a token: the password of a URL, the value of a header.
fn secret(class: &str, value: &str) -> String {
    let part = |from: &str, to: &str| {
        let start = value.find(from).map_or(0, |at| at + from.len());
        let end = value[start..].find(to).map_or(value.len(), |at| start + at);
        value[start..end].to_owned()
    };
    match class {
        "slack-hook" => value.rsplit('/').next().unwrap_or(value).to_owned(),
        "discord-hook" => value.rsplit('/').next().unwrap_or(value).to_owned(),
        "azure-storage" => part("AccountKey=", "="),
        "url" => part("app:", "@"),
        "url-redis" => part("redis://:", "@"),
        "bearer" => part("Bearer ", "\n"),
        _ => value.to_owned(),
    }
}

/// Notations without a key, for tokens that need none.
const BARE: &[(&str, &str, &str)] = &[
    ("remark", "a.py", "x = 1  # VALUE"),
    ("list", "a.json", "[\n  \"VALUE\",\n  \"other\"\n]"),
    ("argument", "a.go", "client := New(\"VALUE\")"),
    ("log", "out.log", "[debug] using VALUE for the call"),
    ("markdown", "README.md", "Use VALUE until Friday."),
    ("table", "README.md", "| token | VALUE |"),
    ("brackets", "a.ts", "fetch(url, [VALUE])"),
    ("backticks", "NOTES.md", "run `x VALUE` now"),
];

/// Returns the cases: every class in several notations, as diffs.
pub(super) fn cases() -> Vec<Case> {
    let mut random = Random::new(0x5eed_0002);
    let mut cases = Vec::new();
    for (index, (class, key, make)) in CLASSES.iter().enumerate() {
        for round in 0..36 {
            let value = make(&mut random);
            let keyed = key.contains(' ') || round % 2 == 0;
            let (notation, path, text) = if keyed {
                written((index * 7 + round * 5) % count(), key, &value)
            } else {
                let (name, path, template) = BARE[(index + round) % BARE.len()];
                (name, path, template.replace("VALUE", &value))
            };
            let crlf = round % 9 == 8;
            let text = if crlf { text.replace('\n', "\r\n") } else { text };
            let text = as_diff(path, &text, &mut random);
            let secret = secret(class, &value);
            cases.push(Case {
                class: (*class).to_owned(),
                notation: notation.to_owned(),
                path: path.to_owned(),
                diff: true,
                text,
                secrets: vec![secret],
            });
        }
    }
    cases
}
