//! Recognises values in files and commands of deployments that name a secret or a server: a secret that a builder mounts, the key under which
//! a cluster stores one, the host of a server of passwords.
//!
//! In: a key and its value. Out: whether the value is such a name.

use super::cursor::line_start;
use super::key_words::split;
use super::kinds::Pair;
use super::values::Bare;

/// The maximum number of bytes between the two sides of a mapping of an external secret.
const NEAR_MAPPING: usize = 160;

impl Pair<'_> {
    /// Returns whether the value is the name of a secret or of a server.
    pub(super) fn is_name_in_deployment(&self) -> bool {
        self.is_mounted() || self.is_server() || self.is_mapped()
    }

    /// `docker build --secret id=npm,src=.npmrc`: the name of a secret, which a builder mounts.
    fn is_mounted(&self) -> bool {
        const OPTIONS: &[&[u8]] = &[b"id=", b"source=", b"src=", b"type=", b"env=", b"target="];
        self.key() == b"--secret" && OPTIONS.iter().any(|option| self.value.starts_with(option))
    }

    /// `- secretKey: smtpPassword`, with `remoteRef:` beside it: the key under which an external secret is stored.
    fn is_mapped(&self) -> bool {
        const BESIDE: &[&[u8]] = &[b"remoteRef:", b"sourceRef:"];
        if self.bare != Bare::Plain || self.key() != b"secretKey" {
            return false;
        }
        let line = line_start(self.text, self.key.0);
        let from = line.saturating_sub(NEAR_MAPPING);
        let to = self.text.len().min(self.at + self.value.len() + NEAR_MAPPING);
        let mut above = self.text[from..line].rsplit(|byte| *byte == b'\n').skip(1).map(<[u8]>::trim_ascii);
        let below = self.text[self.at..to].split(|byte| *byte == b'\n').nth(1).unwrap_or_default();
        let is_beside =
            |line: &[u8]| BESIDE.iter().any(|name| line.strip_prefix(b"- ").unwrap_or(line).starts_with(name));
        is_beside(below.trim_ascii()) || above.any(is_beside)
    }

    /// `passwd_server = kdc.example.org:464`: the host of a server.
    fn is_server(&self) -> bool {
        let is_server = split(self.key()).last().is_some_and(|last| matches!(last, "server" | "servers"));
        let is_end = |end: &[u8]| end.len() > 1 && end.iter().all(u8::is_ascii_lowercase);
        let host = self.value.split(|byte| *byte == b':').next().unwrap_or_default();
        is_server
            && host.contains(&b'.')
            && host.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(byte))
            && host.rsplit(|byte| *byte == b'.').next().is_some_and(is_end)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn names_of_secrets_and_hosts_in_deployments_are_harmless() {
        check(
            "build.sh",
            &[
                "docker build --secret id=npm_token,src=$HOME/.npmrc -t shop .",
                "docker buildx build --secret=type=env,id=aws,env=AWS_SECRET_ACCESS_KEY .",
                "docker service create --secret source=db_pw,target=/run/pw,mode=0400 shop",
                "deploy --secret ⟦Feder7ball⟧ shop",
                "deploy --secret=⟦Feder7ball⟧",
            ],
        );
        check(
            "mail.yaml",
            &[
                "  data:\n    - secretKey: smtpPassword\n      remoteRef:\n        key: mail\n",
                "  data:\n    - remoteRef:\n        key: mail\n      secretKey: Feder7ball\n",
                "storage:\n  secretKey: ⟦Feder7ball⟧\n",
            ],
        );
        check(
            "krb5.conf",
            &[
                "kpasswd_server = kdc.host.example",
                "passwd_server = kdc.host.example:464",
                "passwd_server = ⟦Feder.7ball⟧",
                "password = ⟦kdc.host.example⟧",
            ],
        );
    }
}
