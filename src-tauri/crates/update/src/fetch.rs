//! Reads the manifest and downloads the file of an offer. A server can be slow, stop, lie about the length, or redirect.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use diffsan_manifest::{MAX_MANIFEST_BYTES, MAX_SIGNATURE_BYTES, Manifest, Offer, TrustedKey};
use futures::StreamExt as _;
use reqwest::header::LOCATION;
use reqwest::{Client, Response, StatusCode, Url};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use super::files::Partial;
use super::{Address, Replaceable, UpdateError, Verified};

/// The maximum number of redirects.
const MAX_REDIRECTS: usize = 3;

/// The time limits for a server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum time to connect, and without any byte.
    pub silence: Duration,
    /// The maximum time for a manifest or a signature.
    pub manifest: Duration,
    /// The minimum speed of a download, in bytes for each second. `manifest` is added to the time that follows from it.
    pub min_speed: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { silence: Duration::from_secs(30), manifest: Duration::from_secs(60), min_speed: 16 << 10 }
    }
}

/// A verified manifest as it was read.
#[derive(Clone, Debug)]
pub struct SignedManifest {
    /// The manifest.
    pub manifest: Manifest,
    /// Its text.
    pub text: Vec<u8>,
    /// Its signature.
    pub signature: Vec<u8>,
}

/// A server with releases.
#[derive(Clone, Debug)]
pub struct Source {
    address: Address,
    client: Client,
    limits: Limits,
}

impl Source {
    /// Creates a client for an address.
    pub fn new(address: Address, limits: Limits) -> Result<Self, UpdateError> {
        // Another part of the program may have installed a provider before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("diffsan/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(limits.silence)
            .read_timeout(limits.silence)
            .redirect(reqwest::redirect::Policy::none())
            .https_only(!address.is_loopback());
        if address.is_loopback() {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| unreachable(address.manifest(), &error))?;
        Ok(Self { address, client, limits })
    }

    /// Reads and verifies the manifest. Returns it with its text and its signature, so that it can be verified again.
    pub async fn manifest(&self, keys: &[TrustedKey]) -> Result<SignedManifest, UpdateError> {
        let text = self.small(self.address.manifest(), MAX_MANIFEST_BYTES);
        let signature = self.address.signature();
        let signature = self.small(&signature, MAX_SIGNATURE_BYTES);
        let (text, signature) = (text.await?, signature.await?);
        let manifest = diffsan_manifest::verify(&text, &signature, keys)?;
        Ok(SignedManifest { manifest, text, signature })
    }

    /// Downloads the file of an offer beside the program's file, and verifies it. `done` is the number of bytes so far. Without a result,
    /// nothing remains of the download.
    pub async fn download(
        &self,
        offer: &Offer,
        target: &Replaceable,
        done: &Arc<AtomicU64>,
        cancel: &CancellationToken,
    ) -> Result<Verified, UpdateError> {
        let url = self.address.file(&offer.file.address)?;
        target.check_room(offer.file.size)?;
        let partial = target.partial()?;
        let seconds = offer.file.size.checked_div(self.limits.min_speed).unwrap_or_default();
        let deadline = self.limits.manifest + Duration::from_secs(seconds);
        let work = self.stream(&url, offer, &partial, done);
        tokio::select! {
            result = tokio::time::timeout(deadline, work) => {
                result.map_err(|_| slow(&url, deadline))??;
            }
            () = cancel.cancelled() => return Err(UpdateError::Cancelled),
        }
        partial.finish()
    }

    /// Writes the answer to a file while it is hashed.
    async fn stream(&self, url: &Url, offer: &Offer, partial: &Partial, done: &AtomicU64) -> Result<(), UpdateError> {
        let size = offer.file.size;
        let answer = self.get(url).await?;
        if let Some(announced) = answer.content_length().filter(|announced| *announced != size) {
            return Err(UpdateError::Length(url.to_string(), announced, size));
        }
        let mut digest = Sha256::new();
        let mut received: u64 = 0;
        let mut body = answer.bytes_stream();
        while let Some(chunk) = body.next().await {
            let chunk = match chunk {
                Ok(chunk) => chunk,
                Err(error) if error.is_timeout() => return Err(slow(url, self.limits.silence)),
                Err(_) => return Err(UpdateError::Truncated(url.to_string(), received, size)),
            };
            received += chunk.len() as u64;
            if received > size {
                return Err(UpdateError::TooLarge(url.to_string(), size));
            }
            digest.update(&chunk);
            // A chunk is small and goes to the page cache. Only the end waits for the disk.
            partial.file().write_all(&chunk).map_err(|error| partial.fault(error))?;
            done.store(received, Ordering::Relaxed);
        }
        if received < size {
            return Err(UpdateError::Truncated(url.to_string(), received, size));
        }
        if hex::encode(digest.finalize()) == offer.file.sha256 {
            Ok(())
        } else {
            Err(UpdateError::Sum(url.to_string()))
        }
    }

    /// Reads a small file whole.
    async fn small(&self, url: &Url, max: usize) -> Result<Vec<u8>, UpdateError> {
        let read = async {
            let mut body = self.get(url).await?.bytes_stream();
            let mut bytes = Vec::new();
            while let Some(chunk) = body.next().await {
                bytes.extend_from_slice(&chunk.map_err(|error| unreachable(url, &error))?);
                if bytes.len() > max {
                    return Err(UpdateError::TooLarge(url.to_string(), max as u64));
                }
            }
            Ok(bytes)
        };
        let limit = self.limits.manifest;
        tokio::time::timeout(limit, read).await.map_err(|_| slow(url, limit))?
    }

    /// Requests an address, and follows redirects on the same server.
    async fn get(&self, url: &Url) -> Result<Response, UpdateError> {
        let mut at = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.client.get(at.clone()).send().await.map_err(|error| match error.is_timeout() {
                true => slow(url, self.limits.silence),
                false => unreachable(url, &error),
            })?;
            let status = answer.status();
            if status == StatusCode::OK {
                return Ok(answer);
            }
            let to = answer.headers().get(LOCATION).filter(|_| status.is_redirection());
            let Some(to) = to.and_then(|to| to.to_str().ok()) else {
                return Err(UpdateError::Status(url.to_string(), status.as_u16()));
            };
            let next = at.join(to).ok().filter(|next| self.address.is_same_server(next));
            at = next.ok_or_else(|| UpdateError::Redirect(url.to_string(), to.to_owned()))?;
        }
        Err(UpdateError::Unreachable(url.to_string(), format!("it redirects more than {MAX_REDIRECTS} times")))
    }
}

fn slow(url: &Url, limit: Duration) -> UpdateError {
    UpdateError::Slow { url: url.to_string(), limit }
}

/// Describes a connection that failed, with the innermost cause.
fn unreachable(url: &Url, error: &reqwest::Error) -> UpdateError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    UpdateError::Unreachable(url.to_string(), cause.to_string())
}
