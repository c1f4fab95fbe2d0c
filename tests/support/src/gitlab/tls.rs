//! A listener with TLS, and a certificate of an authority that no system knows.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

pub(super) struct Listener {
    inner: TcpListener,
    acceptor: TlsAcceptor,
    ca: String,
    rejected: Arc<AtomicUsize>,
}

/// The issuer of the server's certificate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Issuer {
    /// A private authority.
    Authority,
    /// The server itself.
    Server,
}

impl Listener {
    pub(super) async fn bind(issuer: Issuer) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, "A private authority");
        let authority =
            CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("parameters");
        let certificate = match issuer {
            Issuer::Authority => params.signed_by(&key, &authority),
            Issuer::Server => params.self_signed(&key),
        };
        let certificate = certificate.expect("a certificate");
        let ca = match issuer {
            Issuer::Authority => authority.pem(),
            Issuer::Server => certificate.pem(),
        };
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a configuration");
        let inner = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        Self { inner, acceptor: TlsAcceptor::from(Arc::new(config)), ca, rejected: Arc::default() }
    }

    pub(super) fn port(&self) -> u16 {
        self.inner.local_addr().expect("an address").port()
    }

    /// Returns the number of connections that clients gave up during the handshake.
    pub(super) fn rejected(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.rejected)
    }

    pub(super) fn ca(&self) -> String {
        self.ca.clone()
    }
}

impl axum::serve::Listener for Listener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let Ok((stream, address)) = self.inner.accept().await else { continue };
            // A client that does not trust the certificate disconnects here.
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, address);
            }
            self.rejected.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.inner.local_addr()
    }
}
