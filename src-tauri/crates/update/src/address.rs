//! The address of the manifest: which ones are allowed, and which other addresses belong to the same server. Pure.

use std::net::IpAddr;

use diffsan_manifest::MANIFEST_SIGNATURE;
use reqwest::Url;

use super::UpdateError;

/// The address of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Url);

impl Address {
    /// Reads the setting `update.url`. Without encryption, only this machine is allowed.
    pub fn parse(setting: &str) -> Result<Self, UpdateError> {
        let url = Url::parse(setting).map_err(|_| UpdateError::Address("it is not an address"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UpdateError::Address("it contains a user name or password"));
        }
        match url.scheme() {
            "https" => Ok(Self(url)),
            "http" if is_loopback(&url) => Ok(Self(url)),
            _ => Err(UpdateError::Address("it must begin with https, or with http on this machine")),
        }
    }

    /// Whether the address is on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        is_loopback(&self.0)
    }

    /// Returns the address of the manifest.
    pub(crate) fn manifest(&self) -> &Url {
        &self.0
    }

    /// Returns the address of the signature: the name of the manifest with the ending of signatures.
    pub(crate) fn signature(&self) -> Url {
        let mut url = self.0.clone();
        let ending = MANIFEST_SIGNATURE.rsplit('.').next().unwrap_or_default();
        url.set_path(&format!("{}.{ending}", self.0.path()));
        url
    }

    /// Returns an address that the manifest names, if it is on the same server.
    pub(crate) fn file(&self, named: &str) -> Result<Url, UpdateError> {
        let url = self.0.join(named).map_err(|_| UpdateError::Address("the manifest names no address"))?;
        let from = self.0.as_str().to_owned();
        if self.is_same_server(&url) { Ok(url) } else { Err(UpdateError::Redirect(from, url.to_string())) }
    }

    /// Whether another address has the same scheme, host and port.
    pub(crate) fn is_same_server(&self, other: &Url) -> bool {
        self.0.origin() == other.origin() && other.username().is_empty() && other.password().is_none()
    }
}

fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    host == "localhost" || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encrypted_addresses_and_this_machine_are_allowed() {
        for valid in [
            "https://example.com/diffsan/update.json",
            "http://127.0.0.1:8000/update.json",
            "http://[::1]/update.json",
            "http://localhost/update.json",
        ] {
            Address::parse(valid).expect(valid);
        }
        for wrong in [
            "http://example.com/update.json",
            "http://127.0.0.1.example.com/update.json",
            "http://localhost.example.com/",
            "https://me:secret@example.com/update.json",
            "ftp://127.0.0.1/update.json",
            "file:///tmp/update.json",
            "update.json",
            "",
        ] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn files_are_on_the_server_of_the_manifest() {
        let address = Address::parse("https://example.com/a/update.json").expect("an address");
        assert_eq!(address.signature().as_str(), "https://example.com/a/update.json.minisig");
        assert_eq!(address.file("b.AppImage").expect("an address").as_str(), "https://example.com/a/b.AppImage");
        assert!(address.file("/b.AppImage").is_ok());
        assert!(address.file("https://example.com:443/b.AppImage").is_ok());
        for other in [
            "http://example.com/b.AppImage",
            "https://example.org/b.AppImage",
            "//example.org/b",
            "https://example.com:444/b",
            "https://me@example.com/b",
            "file:///etc/passwd",
        ] {
            assert!(address.file(other).is_err(), "{other}");
        }
    }
}
