//! Tests the effects that the words of contracts name.

use std::collections::BTreeSet;

use crate::contract::{ContractEffect, Reading};
use crate::reader::parse;
use crate::vocabulary::Vocabulary;

/// Returns the effects that a line of a contract names.
fn named(vocabulary: &Vocabulary, line: &str) -> Vec<String> {
    let contracts = parse("README.md", &format!("<capabilities>\n{line}\n</capabilities>"), vocabulary);
    assert!(contracts.warnings.is_empty(), "{line}: {:?}", contracts.warnings);
    let contract = &contracts.effects[0];
    vocabulary.named_effects(&contract.action, &contract.resource).effects.into_keys().collect()
}

#[test]
fn phrases_that_contracts_use_name_their_effect() {
    let vocabulary = Vocabulary::load().expect("tables");
    let mut wrong = Vec::new();
    for (phrase, effect) in [
        ("make HTTP requests", "http.request"),
        ("make any HTTP request", "http.request"),
        ("perform HTTP calls", "http.request"),
        ("issue web requests", "http.request"),
        ("call external APIs", "http.request"),
        ("call external services", "http.request"),
        ("call third-party APIs", "http.request"),
        ("invoke webhooks", "http.request"),
        ("make network calls", "network.use"),
        ("perform network I/O", "network.use"),
        ("connect to the internet", "network.use"),
        ("open network connections", "network.use"),
        ("contact external servers", "network.use"),
        ("phone home", "network.use"),
        ("open sockets", "socket.open"),
        ("listen on a port", "http.serve"),
        ("serve HTTP", "http.serve"),
        ("send emails to customers", "email.send"),
        ("send e-mail", "email.send"),
        ("email users", "email.send"),
        ("text customers", "sms.send"),
        ("send push notifications", "message.send"),
        ("post to Slack", "message.send"),
        ("charge credit cards", "payment.charge"),
        ("process payments", "payment.charge"),
        ("issue refunds", "payment.charge"),
        ("call an LLM", "ai.request"),
        ("prompt a language model", "ai.request"),
        ("query the database", "database.use"),
        ("write to the database", "database.use"),
        ("modify database records", "database.use"),
        ("execute raw SQL", "sql.execute"),
        ("run queries", "sql.execute"),
        ("enqueue jobs", "queue.publish"),
        ("publish events", "queue.publish"),
        ("upload files to S3", "object.write"),
        ("write to disk", "file.write"),
        ("modify files", "file.write"),
        ("create temporary files", "file.write"),
        ("touch the file system", "filesystem.use"),
        ("delete files", "file.delete"),
        ("remove directories", "file.delete"),
        ("read configuration files", "file.read"),
        ("spawn child processes", "process.run"),
        ("spawn subprocesses", "process.run"),
        ("execute external commands", "process.run"),
        ("execute shell commands", "shell.run"),
        ("shell out", "shell.run"),
        ("use eval", "code.execute"),
        ("evaluate dynamic code", "code.execute"),
        ("load native libraries", "native.load"),
        ("deserialize untrusted data", "data.deserialise"),
        ("unpickle data", "data.deserialise"),
        ("read the current time", "clock.read"),
        ("depend on the system clock", "clock.read"),
        ("use random numbers", "random.generate"),
        ("generate random values", "random.generate"),
        ("read environment variables", "env.read"),
        ("access secrets", "secret.read"),
        ("read credentials", "secret.read"),
        ("log personal data", "log.write"),
        ("write logs", "log.write"),
        ("print to stdout", "log.write"),
        ("send analytics", "telemetry.send"),
        ("track users", "telemetry.send"),
        ("change file permissions", "permission.change"),
        ("escalate privileges", "permission.change"),
    ] {
        let found = named(&vocabulary, &format!("MUST NOT {phrase}"));
        if !found.iter().any(|id| id == effect) {
            wrong.push(format!("{phrase} names {found:?}, not {effect}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn each_form_of_a_prohibition_forbids_the_effect_for_all_code() {
    let vocabulary = Vocabulary::load().expect("tables");
    let mut wrong = Vec::new();
    // The infinitive, the gerund, the thing and the participle.
    for (verb, gerund, thing, done, effect) in [
        ("start", "starting", "processes", "started", "process.run"),
        ("run", "running", "other programs", "run", "process.run"),
        ("send", "sending", "email", "sent", "email.send"),
        ("delete", "deleting", "files", "deleted", "file.delete"),
        ("write", "writing", "files", "written", "file.write"),
        ("make", "making", "HTTP requests", "made", "http.request"),
    ] {
        let be = if thing == "email" { "is" } else { "are" };
        for line in [
            format!("Nothing here may {verb} {thing}."),
            format!("Nothing must {verb} {thing}."),
            format!("Nothing is allowed to {verb} {thing}"),
            format!("Nobody may {verb} {thing} from here."),
            format!("No one may {verb} {thing}"),
            format!("No code here may {verb} {thing}."),
            format!("No module shall {verb} {thing}"),
            format!("No code in this package is allowed to {verb} {thing}"),
            format!("None of the handlers may {verb} {thing}"),
            format!("Neither the parser nor the printer may {verb} {thing}"),
            format!("Not a single handler may {verb} {thing}"),
            format!("No {thing} may be {done}."),
            format!("No {thing} must be {done} here"),
            format!("No {thing} can be {done}"),
            format!("No {thing} are allowed to be {done}"),
            format!("No {thing} {be} {done}"),
            format!("No {thing} {be} ever {done} from here"),
            format!("No {thing} {be} allowed"),
            format!("The code never {verb}s {thing}"),
            format!("The code must not {verb} {thing} here"),
            format!("The code may not {verb} {thing}"),
            format!("The code cannot {verb} {thing}"),
            format!("The code can't {verb} {thing}"),
            format!("The code is not allowed to {verb} {thing}"),
            format!("The code isn't permitted to {verb} {thing}"),
            format!("The code is forbidden to {verb} {thing}"),
            format!("The code is forbidden from {gerund} {thing}"),
            format!("It is forbidden to {verb} {thing}"),
            format!("{gerund} {thing} is forbidden"),
            format!("{gerund} {thing} is not allowed here"),
            format!("The code must work without {gerund} {thing}"),
            format!("The code works without {gerund} {thing}"),
            format!("The code must neither {verb} {thing} nor fail"),
            format!("{thing} {be} never {done}"),
            format!("{thing} must not be {done}"),
            format!("{thing} may never be {done} in this module"),
            format!("{thing} cannot be {done}"),
            format!("{thing} {be} not allowed to be {done}"),
        ] {
            let contracts = parse("README.md", &format!("<capabilities>\n{line}\n</capabilities>"), &vocabulary);
            let contract = &contracts.effects[0];
            let named = vocabulary.named_effects(&contract.action, &contract.resource);
            let is_right = contracts.effects.len() == 1
                && contract.modal.forbids()
                && contract.reading == Reading::Statement
                && named.effects.get(effect).is_some_and(Option::is_none);
            if !is_right {
                wrong.push(format!("{line}: {contract:?} {named:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_negation_that_is_not_understood_is_no_permission() {
    let vocabulary = Vocabulary::load().expect("tables");
    for line in [
        "Under no circumstances may the parser write files",
        "At no time may files be deleted",
        "Nothing but the mailer may send email",
        "No code except the mailer may send email",
        "Nothing must not send email",
        "The parser may write files, but not to disk",
    ] {
        let contracts = parse("README.md", &format!("<capabilities>\n{line}\n</capabilities>"), &vocabulary);
        let is_understood = |one: &ContractEffect| one.reading != Reading::NotUnderstood && !one.modal.forbids();
        assert!(!contracts.effects.iter().any(is_understood), "{line}: {:?}", contracts.effects);
    }
}

#[test]
fn words_around_a_resource_restrict_it() {
    let vocabulary = Vocabulary::load().expect("tables");
    for (action, resource, qualifier) in [
        ("write", "temporary files", Some("temporary")),
        ("send", "emails to customers", Some("customers")),
        ("send", "external http requests", None),
        ("read", "environment variables", None),
        ("send", "notification emails", None),
        ("call", "remote http services", None),
        ("listen", "network port", None),
        ("delete", "files or folders", None),
        ("upload", "s3 or other object storage", None),
        ("read", "files from disk", None),
        ("evaluate", "code at run time", None),
        ("execute", "dynamically generated code", None),
        ("enqueue", "background jobs", None),
        ("send", "e-mail to anyone", None),
        ("write", "files unless asked", Some("unless asked")),
        ("delete", "files outside the temporary folder", Some("temporary folder")),
    ] {
        let named = vocabulary.named_effects(action, resource);
        let found: BTreeSet<Option<&str>> = named.effects.values().map(Option::as_deref).collect();
        assert_eq!(found, BTreeSet::from([qualifier]), "{action} {resource}");
    }
}

#[test]
fn each_part_of_a_list_counts() {
    let vocabulary = Vocabulary::load().expect("tables");
    for (action, resource, effects, unknown) in [
        ("read", "or write files", &["file.read", "file.write"][..], 0),
        ("read", "secrets or environment variables", &["env.read", "secret.read"], 0),
        ("open", "sockets to other hosts or make network requests", &["network.use", "socket.open"], 0),
        ("write", "files, send email or run programs", &["email.send", "file.write", "process.run"], 0),
        ("use", "file writes", &["file.write"], 0),
        ("written", "uploads to disk", &["file.write"], 0),
        ("send", "email or frobnicate xyzzy", &["email.send"], 1),
        ("send", "email to customers or partners", &["email.send"], 0),
    ] {
        let named = vocabulary.named_effects(action, resource);
        assert_eq!(named.effects.keys().collect::<Vec<_>>(), effects, "{action} {resource}");
        assert_eq!(named.unknown.len(), unknown, "{action} {resource}: {:?}", named.unknown);
    }
}

#[test]
fn words_that_name_nothing_have_suggestions() {
    let vocabulary = Vocabulary::load().expect("tables");
    for (action, resource, wanted) in [
        ("frobnicate", "blobs", "write object storage"),
        ("send", "emial", "send email"),
        ("delete", "xyzzy", "delete files"),
    ] {
        assert!(!vocabulary.names_effect(action, resource));
        let found = vocabulary.suggestions(action, resource);
        assert!(found.contains(&wanted), "{action} {resource}: {found:?}");
    }
    assert!(vocabulary.suggestions("frobnicate", "xyzzy").is_empty());
    // The thing that "any" stands for is named in another sentence.
    assert!(!vocabulary.names_effect("add", "any") && !vocabulary.names_effect("write", "them"));
}
