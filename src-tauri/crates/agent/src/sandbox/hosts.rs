//! The hosts that a sandboxed agent can reach.

use std::net::IpAddr;
use std::sync::LazyLock;

use reqwest::Url;

/// A host of an allow-list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HostRule {
    /// The name in lower case, or the address without brackets.
    name: String,
    /// Whether only names below it are meant.
    below: bool,
    /// The port; `None` for 443 and 80.
    port: Option<u16>,
}

impl HostRule {
    /// Reads `name`, `*.name`, `name:port` or a URL.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (below, rest) = text.strip_prefix("*.").map_or((false, text), |rest| (true, rest));
        let is_url = rest.contains("://");
        let url = if is_url { Url::parse(rest) } else { Url::parse(&format!("https://{rest}")) }.ok()?;
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let name = host_name(url.host_str()?);
        // A URL has the port of its scheme. Of other texts, only a written port counts.
        let port = if is_url || rest.ends_with(":443") { url.port_or_known_default() } else { url.port() };
        Some(Self { name, below, port })
    }

    /// The hosts of all URLs in a text.
    pub(super) fn of_text(text: &str) -> Vec<Self> {
        static URL: LazyLock<Option<regex::Regex>> =
            LazyLock::new(|| regex::Regex::new(r#"https?://[^\s"'<>,]+"#).ok());
        let Some(pattern) = URL.as_ref() else { return Vec::new() };
        pattern.find_iter(text).filter_map(|found| Self::parse(found.as_str())).collect()
    }

    /// Whether a connection to this host is allowed.
    pub(super) fn allows(&self, host: &str, port: u16) -> bool {
        let host = host_name(host);
        let named = if self.below {
            host.strip_suffix(&self.name).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
        } else {
            host == self.name
        };
        named && self.port.map_or(port == 443 || port == 80, |own| own == port)
    }

    /// The port, if the host is this machine. Programs connect to it without a proxy.
    pub(super) fn local_port(&self) -> Option<u16> {
        let address = self.name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        self.port.filter(|_| address || self.name == "localhost")
    }

    /// The host and port to connect to.
    pub(super) fn address(&self) -> (String, u16) {
        (self.name.clone(), self.port.unwrap_or(443))
    }
}

impl std::fmt::Display for HostRule {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(if self.below { "*." } else { "" })?;
        out.write_str(&self.name)?;
        self.port.filter(|port| *port != 443).map_or(Ok(()), |port| write!(out, ":{port}"))
    }
}

/// A name as it is compared: lower case, without a final dot and the brackets of an address.
fn host_name(text: &str) -> String {
    text.trim_matches(['[', ']']).trim_end_matches('.').to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_allow_themselves_only() {
        for (rule, allowed, refused) in [
            (
                "api.a.com",
                "api.a.com:443 API.a.com.:443 api.a.com:80",
                "a.com:443 x.api.a.com:443 api.a.com:22 api.a.comx:443",
            ),
            ("*.a.com", "x.a.com:443 x.y.a.com:80", "a.com:443 xa.com:443 .a.com:443"),
            ("a.com:8080", "a.com:8080", "a.com:443"),
            ("a.com:443", "a.com:443", "a.com:80"),
            ("https://user:pass@a.com/v1", "a.com:443", "a.com:80"),
            ("http://127.0.0.1:11434/v1", "127.0.0.1:11434", "127.0.0.1:80 localhost:11434"),
            ("http://[::1]:5/v1", "[::1]:5 ::1:5", "127.0.0.1:5"),
        ] {
            let parsed = HostRule::parse(rule).expect("a rule");
            let allows = |place: &&str| {
                let (host, port) = place.rsplit_once(':').expect("a port");
                parsed.allows(host, port.parse().expect("a port"))
            };
            assert!(allowed.split(' ').all(|place| allows(&place)), "{rule}");
            assert!(!refused.split(' ').any(|place| allows(&place)), "{rule}");
        }
        for wrong in ["", "ftp://a.com", "a b", "https://"] {
            assert_eq!(HostRule::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn urls_in_settings_name_hosts() {
        let text = r#"{"baseURL": "http://localhost:8080/v1", x: 'https://b.org', "c": "mailto:x"}"#;
        let hosts: Vec<String> = HostRule::of_text(text).iter().map(ToString::to_string).collect();
        assert_eq!(hosts, ["localhost:8080", "b.org"]);
        assert_eq!(HostRule::parse("http://localhost:8080/v1").and_then(|host| host.local_port()), Some(8080));
        assert_eq!(HostRule::parse("localhost").and_then(|host| host.local_port()), None);
    }
}
