//! Recognises values that are made to be public although they look like secrets: publishable keys, identifiers of applications, values that
//! only another party can decrypt, examples of standards, and the version of a secret in an address.
//!
//! In: a value, the text before it and the path of its file. Out: whether it is public, whatever rule found it.

use super::harmless::assigned_name;
use super::key_words::split;
use super::records;
use super::words::WORDS;

/// The beginnings of keys that programs publish.
const PUBLISHABLE: &[&[u8]] = &[b"pk_test_", b"pk_live_"];
/// The beginnings of messages in base64 that are encrypted with a public key of OpenPGP.
const OPENPGP: &[&[u8]] = &[b"wcBMA", b"wcDMA", b"wcFMA", b"hQEMA", b"hQGMA", b"hQIMA"];
/// The length of the shortest encrypted value in bytes.
const SHORTEST_ENCRYPTED: usize = 60;
/// The length of the shortest part of a certificate in bytes.
const SHORTEST_CERTIFICATE: usize = 40;
/// The name of an object whose values are encrypted.
const ENCRYPTED: &[u8] = b"encrypted";
/// The parts of an address before the name and the version of a secret or key in Azure.
const VAULTS: &[&[u8]] = &[b".vault.azure.", b".vault.usgovcloudapi.", b".managedhsm.azure."];
/// The name of a version in a reference to a secret.
const VERSION: &[u8] = b"SecretVersion=";
/// The name of the hash of a secret in the baseline of a scanner.
const HASHED: &[u8] = b"hashed_secret";
/// The number of digits of such a hash.
const HASH_DIGITS: usize = 40;
/// The vendor whose API key is the public identifier of an application.
const SHOPIFY: &[u8] = b"shopify";
/// The number of digits of such an identifier and of a version.
const DIGITS: usize = 32;
/// The maximum distance in bytes between the name of the vendor and the key.
const NEAR: usize = 120;

/// Returns whether a value is public.
pub(super) fn is_public(found: &[u8], before: &[u8], place: &str) -> bool {
    PUBLISHABLE.iter().any(|start| found.starts_with(start))
        || is_encrypted(found, before)
        || is_version(found, before)
        || WORDS.is_example(found)
        || is_in_baseline(found, before)
        || is_application(found, before, place)
        || is_certificate(found)
}

/// Returns whether a value in base64 begins like a certificate or the request for one: a sequence whose first part is a long sequence, too. A
/// private key begins with its version.
pub(super) fn is_certificate(value: &[u8]) -> bool {
    value.len() >= SHORTEST_CERTIFICATE
        && value.starts_with(b"MII")
        && value[3..8].ends_with(b"CC")
        && b"DTjz".contains(&value[5])
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
}

/// Returns whether only the owner of a private key can read a value: a message of OpenPGP, or a value of an object named `encrypted`.
fn is_encrypted(found: &[u8], before: &[u8]) -> bool {
    found.len() >= SHORTEST_ENCRYPTED
        && found.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
        && (OPENPGP.iter().any(|start| found.starts_with(start))
            || records::object_key(before, before.len()) == Some(ENCRYPTED))
}

/// Returns whether a value has the form of such an identifier or version.
fn is_id(found: &[u8]) -> bool {
    found.len() == DIGITS && found.iter().all(u8::is_ascii_hexdigit)
}

/// Returns whether a value is the version of a secret that an address names: `https://a.vault.azure.net/secrets/db/…`.
fn is_version(found: &[u8], before: &[u8]) -> bool {
    if !is_id(found) {
        return false;
    }
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`(<>,=".contains(byte);
    let address = before.rsplit(is_end).next().unwrap_or_default();
    before.ends_with(VERSION)
        || before.ends_with(b"/") && VAULTS.iter().any(|vault| memchr::memmem::find(address, vault).is_some())
}

/// Returns whether a value is the hash of a finding in the baseline of a scanner: `"hashed_secret": "…"`.
fn is_in_baseline(found: &[u8], before: &[u8]) -> bool {
    found.len() == HASH_DIGITS && found.iter().all(u8::is_ascii_hexdigit) && assigned_name(before) == HASHED
}

/// Returns whether a value identifies an application of Shopify, whose secret has another key.
fn is_application(found: &[u8], before: &[u8], place: &str) -> bool {
    if !is_id(found) {
        return false;
    }
    let words = split(assigned_name(before));
    let is_api_key = words.len() > 1 && words.last() == Some("key") && words.word(words.len() - 2) == "api";
    let near = before[before.len().saturating_sub(NEAR)..].to_ascii_lowercase();
    is_api_key && (memchr::memmem::find(&near, SHOPIFY).is_some() || place.contains("shopify"))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn publishable_keys_stay_readable() {
        check(
            "shop.js",
            &[
                "const stripe = Stripe(\"pk_live_51HqLkZx81kQ02mmPq77Lw2wJalrXUtnFEMI\");",
                "const apiKey = \"pk_test_51HqLkZx81kQ02mmPq77Lw2wJalrXUtnFEMI\";",
                "const apiKey = \"⟦sk_test_51HqLkZx81kQ02mmPq77Lw2wJalrXUtnFEMI⟧\";",
                "const apiKey = \"⟦pk_51HqLkZx81kQ02mmPq77Lw2wJalrXUtnFEMI⟧\";",
            ],
        );
        check(".env", &["STRIPE_API_KEY=pk_live_51HqLkZx81kQ02mmPq77Lw2wJalrXUtnFEMI"]);
    }

    #[test]
    fn values_that_only_others_can_decrypt_stay_readable() {
        let value = format!("{}==", "Zx81kQ02mmPq77Lw2wJa/lrXUtnFEMI7K7MDE".repeat(4));
        check(
            "renovate.json",
            &[
                &format!("{{ \"encrypted\": {{ \"token\": \"{value}\" }} }}"),
                &format!("{{ \"encrypted\": {{ \"user\": \"a\", \"password\": \"{value}\" }} }}"),
                &format!("{{ \"token\": \"wcFMA{value}\" }}"),
                &format!("{{ \"token\": \"⟦{value}⟧\" }}"),
                "{ \"encrypted\": { \"token\": \"⟦q8Zk02mLq9Zt4Rb7x8Kd⟧\" } }",
            ],
        );
    }

    #[test]
    fn examples_of_standards_stay_readable() {
        check(
            "test_pkce.py",
            &[
                "code_verifier=\"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\"",
                "\"access_token\": \"2YotnFZFEjr1zCsicMWpAA\",",
                "aes_key = bytes.fromhex('2b7e151628aed2a6abf7158809cf4f3c')",
                "code_verifier=\"⟦dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXq⟧\"",
            ],
        );
    }

    #[test]
    fn the_parts_of_a_certificate_stay_readable() {
        let first = format!("MIIBqDCCAU6g{}", "AwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJM");
        let private = format!("MIIBqDAgEA6g{}", "AwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJM");
        let next = "Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsA+eUoPiRtYuWq8Zk02mLq9Zt4Rb7x8Kd0";
        check(
            "A.scala",
            &[
                &format!("val clientCertificate =\n  \"{first}\" +\n    \"{next}\""),
                &format!("val clientKey =\n  \"⟦{private}⟧\" +\n    \"⟦{next}⟧\""),
            ],
        );
        check("a.py", &[&format!("CLIENT_CERT = \"{first}\""), &format!("CLIENT_SECRET = \"⟦{private}⟧\"")]);
    }

    #[test]
    fn hashes_in_the_baseline_of_a_scanner_stay_readable() {
        check(
            ".secrets.baseline",
            &[
                "\"hashed_secret\": \"5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8\",",
                "\"hashed_secret\": \"⟦5baa61e4c9b93f3f0682250b6cf8331b7ee68fd⟧\",",
            ],
        );
    }

    #[test]
    fn references_to_a_version_of_a_secret_stay_readable() {
        let version = "7c3b9a1f2d4e4c5b8a6f0e1d2c3b4a59";
        let address = format!("https://shop.vault.azure.net/secrets/DbPassword/{version}");
        check(
            "app.json",
            &[
                &format!("{{ \"DbPassword\": \"@Microsoft.KeyVault(SecretUri={address})\" }}"),
                &format!(
                    "{{ \"DbPassword\": \"@Microsoft.KeyVault(VaultName=shop;SecretName=Db;SecretVersion={version})\" }}"
                ),
                &format!("{{ \"secretUri\": \"{address}\" }}"),
                &format!("{{ \"DbPassword\": \"⟦{version}⟧\" }}"),
            ],
        );
        check("main.tf", &[&format!("password = \"{address}\""), &format!("key_vault_secret_id = \"{address}\"")]);
    }

    #[test]
    fn identifiers_of_applications_stay_readable() {
        let key = "8f2c1d0e9b7a6c5d4e3f2a1b0c9d8e7f";
        check(
            ".env",
            &[
                &format!("SHOPIFY_API_KEY={key}"),
                &format!("SHOPIFY_API_SECRET=⟦{key}⟧"),
                &format!("SHOPIFY_API_SECRET_KEY=⟦{key}⟧"),
                &format!("WAREHOUSE_API_KEY=⟦{key}⟧"),
                "PLAID_CLIENT_ID=5f2c1d0e9b7a6c5d4e3f2a1b",
            ],
        );
        check("shopify.app.toml", &[&format!("api_key = \"{key}\"")]);
        check(
            "a.js",
            &[&format!("const shop = shopifyApi({{ apiKey: '{key}', apiSecretKey: '⟦{}⟧' }});", key.replace('8', "7"))],
        );
        check("key.json", &["{\"private_key_id\": \"7c3b9a1f2d4e4c5b8a6f0e1d2c3b4a5960718293\"}"]);
    }
}
