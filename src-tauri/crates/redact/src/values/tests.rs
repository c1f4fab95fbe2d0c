//! Tests of values that are no secrets.

#[test]
fn the_output_of_a_command_that_reads_a_file_is_a_reference() {
    crate::testing::check(
        "a.sh",
        &[
            "export DB_PASSWORD=\"$(< $DB_PASSWORD_FILE)\"",
            "export DB_PASSWORD=\"$(<\"${DB_PASSWORD_FILE}\")\"",
            "export DB_PASSWORD=\"$(cat ${DB_PASSWORD_FILE})\"",
            "DB_PASSWORD=\"$(jq -r .password < ${SETTINGS})\"",
            "DB_PASSWORD=\"⟦geheim<7$⟧\"",
        ],
    );
}

#[test]
fn interpolations_and_rows_of_one_character_stand_for_values() {
    crate::testing::check(
        "a.yml",
        &[
            "password: \"${{ env.IMAGE }}:untested-${{ env.TAG }}\"",
            "password: \"${IMAGE}/${TAG}\"",
            "password: \"#{user}_at_#{host}\"",
            "password: \"⟦${USER}Kies-7⟧\"",
            "password: \"⟦${USER}kieselgur${HOST}⟧\"",
            "password: \"⟦Kies${USER}-${HOST}⟧\"",
            "captcha_secret: 2x0000000000000000000000000000000AA",
            "captcha_secret: ⟦2x0000000000⟧",
        ],
    );
}

use super::*;

#[test]
fn random_values_are_distinguished_from_names() {
    for value in ["wJalrXUtnFEMI7K7MDENGbPxRfiCYzq", "9f86d081884c7d659a2feaa0c55ad015", "Zx81-kQ02_mmPq77Lw2"] {
        assert!(looks_random(value.as_bytes()), "{value}");
    }
    for value in [
        "550e8400-e29b-41d4-a716-446655440000",
        "primary-database-connection-2",
        "src/components/Button1.tsx",
        "2024-01-01T00:00:00Z",
        "application/json",
        "AuthenticationProviderV2",
        "user.settings.title.v2",
    ] {
        assert!(!looks_random(value.as_bytes()), "{value}");
    }
}
