//! Changes that use objects of libraries and of the project: which code their methods run.

use super::*;

/// Checks the judgments about adding files. `others` are files that stay as they are.
fn added(contract: &str, cases: &[(&str, &str, Judgment)], others: Texts<'_>) {
    for (path, text, expected) in cases {
        assert_eq!(judged(contract, &[], &[(path, text)], others), *expected, "{text}");
    }
}

#[test]
fn passing_an_object_of_a_library_is_no_call_of_the_library() {
    let cases = [
        (
            "a.go",
            "package a\n\nimport \"golang.org/x/oauth2\"\n\nfunc name(t *oauth2.Token) string { return \"\" }\n\n\
             func a(token *oauth2.Token) string { return name(token) }\n\nfunc b() string { return name(&oauth2.Token{}) }\n",
            Judgment::NoViolation,
        ),
        (
            "a.ts",
            "import { AxiosResponse } from 'axios';\n\ninterface Result { response: AxiosResponse }\n\n\
             function show(r: AxiosResponse) {}\n\nexport function a(r: AxiosResponse, result: Result) {\n  show(r);\n  \
             const { response } = result;\n  show(response);\n}\n",
            Judgment::NoViolation,
        ),
        (
            "b.ts",
            "import axios from 'axios';\n\nexport function a(run: (get: unknown) => void) {\n  const get = axios.get;\n  run(get);\n}\n",
            Judgment::Violation,
        ),
        ("a.py", "import requests\n\ndef a(urls):\n    return map(requests.get, urls)\n", Judgment::Violation),
    ];
    added(NETWORK, &cases, &[]);
}

#[test]
fn a_client_in_a_field_has_the_effects_of_its_library() {
    let class = |field: &str, made: &str| {
        format!(
            "import {{ createClient, RedisClientType }} from 'redis';\n\nexport class Store {{\n  {field}\n  constructor(url: string) {{\n    \
             {made}\n  }}\n  keep(key: string) {{\n    return this.client.set(key, 1);\n  }}\n}}\n"
        )
    };
    let made = [
        ("", "this.client = createClient({ url });"),
        ("client: RedisClientType;", "const c = createClient({ url }); this.client = c;"),
        ("client: RedisClientType;", "const c = createClient({ url }); this.client = c as RedisClientType;"),
        ("", "const c = createClient({ url }); this.client = c;"),
        ("", "this.client = createClient({ url }).on('error', log);"),
        ("client;", "const c = createClient({ url }).on('error', log); this.client = c as RedisClientType;"),
        ("client: RedisClientType;", "this.client = open();"),
    ];
    for (field, made) in made {
        let text = class(field, made);
        assert_eq!(judged(DATABASE, &[], &[("a.ts", &text)], &[]), Judgment::Violation, "{text}");
    }
    let typed = "import { RedisClientType } from 'redis';\n\nexport function keep(client: RedisClientType, key: string) {\n  return \
                 client.set(key, 1);\n}\n";
    assert_eq!(judged(DATABASE, &[], &[("a.ts", typed)], &[]), Judgment::Violation);
}
