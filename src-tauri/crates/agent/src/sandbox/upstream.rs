//! The proxy that the user's environment names, which connections out of a sandbox use, too.

use std::io;

use reqwest::Url;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::network::read_head;

/// The proxies of the environment.
pub(super) struct Upstream {
    /// For tunnels.
    https: Option<Url>,
    /// For requests without TLS.
    http: Option<Url>,
    /// Names that are reached without a proxy; `*` for all.
    without: Vec<String>,
}

impl Upstream {
    pub(super) fn of_this_process() -> Self {
        let variable = |name: &str| std::env::var(name).or_else(|_| std::env::var(name.to_lowercase())).ok();
        let proxy = |name: &str| {
            let text = variable(name).or_else(|| variable("ALL_PROXY")).filter(|text| !text.is_empty())?;
            Url::parse(&text).ok().filter(Url::has_host).or_else(|| Url::parse(&format!("http://{text}")).ok())
        };
        let without = variable("NO_PROXY").unwrap_or_default();
        let without =
            without.split(',').map(|name| name.trim().trim_start_matches("*.").trim_start_matches('.').to_lowercase());
        let without = without.filter(|name| !name.is_empty()).collect();
        Self { https: proxy("HTTPS_PROXY"), http: proxy("HTTP_PROXY"), without }
    }

    /// Connects to a host: through the proxy of the environment, or directly.
    pub(super) async fn connect(&self, host: &str, port: u16, tunnel: bool) -> io::Result<TcpStream> {
        let Some(proxy) = self.proxy(host, tunnel) else {
            return TcpStream::connect((host.trim_matches(['[', ']']), port)).await;
        };
        if proxy.scheme() != "http" {
            return Err(io::Error::other(format!(
                "the sandbox supports only proxies with http, not {}",
                proxy.scheme()
            )));
        }
        let address = (proxy.host_str().unwrap_or_default(), proxy.port_or_known_default().unwrap_or(80));
        let mut stream = TcpStream::connect(address).await?;
        if tunnel {
            let key = key(proxy).map(|key| format!("Proxy-Authorization: {key}\r\n")).unwrap_or_default();
            let request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n{key}\r\n");
            stream.write_all(request.as_bytes()).await?;
            let (head, _) = read_head(&mut stream).await?;
            let status = String::from_utf8_lossy(&head).split(' ').nth(1).unwrap_or_default().to_owned();
            if status != "200" {
                return Err(io::Error::other(format!("the proxy answered {status}")));
            }
        }
        Ok(stream)
    }

    /// The key for the proxy of a host. The outer value is `None` if there is no proxy for the host.
    #[allow(clippy::option_option, reason = "a proxy without a key is a proxy")]
    pub(super) fn authorization(&self, host: &str, tunnel: bool) -> Option<Option<String>> {
        self.proxy(host, tunnel).map(key)
    }

    fn proxy(&self, host: &str, tunnel: bool) -> Option<&Url> {
        let host = host.trim_matches(['[', ']']).to_lowercase();
        let is_local =
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        let is_below =
            |name: &String| host.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        if is_local || self.without.iter().any(|name| name == "*" || is_below(name)) {
            return None;
        }
        if tunnel { self.https.as_ref() } else { self.http.as_ref() }
    }
}

/// The value of `Proxy-Authorization` for a proxy whose address contains a name and a password.
fn key(proxy: &Url) -> Option<String> {
    use base64::Engine as _;
    let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    (!proxy.username().is_empty()).then(|| {
        let pair = format!("{}:{}", decoded(proxy.username()), decoded(proxy.password().unwrap_or_default()));
        format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair))
    })
}
