//! HTTP clients and TLS connectors, and whom they trust.

use super::address::PublicOnly;
use rustls::{ClientConfig, RootCertStore};
use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};
use tokio_rustls::TlsConnector;

/// Why there can be no client at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no outgoing client can be made: {0}")]
pub struct NoClient(String);

/// What a client is for.
#[derive(Clone, Copy, Debug)]
pub struct Purpose {
    /// How long one call may take.
    pub timeout: Duration,
    /// Names that lead to private addresses lead nowhere; past any proxy, which would look them up by itself.
    pub public_only: bool,
    /// Another process of this machine is asked: past any proxy.
    pub local: bool,
    /// Whether a call that the other side says it never took goes out again by itself.
    pub repeats: bool,
}

impl Purpose {
    #[must_use]
    pub const fn within(timeout: Duration) -> Self {
        Self {
            timeout,
            public_only: false,
            local: false,
            repeats: true,
        }
    }
}

fn roots() -> RootCertStore {
    RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    }
}

/// One for all: who was met before is greeted faster.
static CONFIG: LazyLock<Result<ClientConfig, rustls::Error>> = LazyLock::new(|| {
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots())
        .with_no_client_auth())
});

fn config() -> Result<ClientConfig, NoClient> {
    CONFIG.clone().map_err(|e| NoClient(e.to_string()))
}

/// For what is not HTTP.
///
/// # Errors
/// When TLS cannot be prepared.
pub fn tls() -> Result<TlsConnector, NoClient> {
    Ok(Arc::new(config()?).into())
}

/// An HTTP client that follows no redirect.
///
/// # Errors
/// When TLS cannot be prepared.
pub fn client(purpose: Purpose) -> Result<reqwest::Client, NoClient> {
    let mut tls = config()?;
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(reqwest::redirect::Policy::none())
        .timeout(purpose.timeout)
        .user_agent("arbora");
    if purpose.local {
        builder = builder.no_proxy();
    }
    if purpose.public_only {
        builder = builder.no_proxy().dns_resolver(Arc::new(PublicOnly));
    }
    if !purpose.repeats {
        builder = builder.retry(reqwest::retry::never());
    }
    builder.build().map_err(|e| NoClient(super::reason(&e)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foundation::outbound::{stranger, told};

    const PURPOSE: Purpose = Purpose::within(Duration::from_secs(20));

    #[test]
    fn there_are_roots() {
        assert!(roots().len() > 50, "{}", roots().len());
        tls().unwrap();
        client(PURPOSE).unwrap();
    }

    #[tokio::test]
    async fn a_certificate_of_nobody_known_is_refused_and_named_without_the_address() {
        let stranger = stranger::listen().await;
        let url = format!("https://someone:hush@{stranger}/v3/key-in-the-path?key=in-the-query");
        let error = client(PURPOSE).unwrap().get(url).send().await.unwrap_err();
        assert_eq!(
            told(&error),
            format!(
                "could not connect to https://{stranger}: certificate refused: it was issued by nobody whom this program trusts"
            )
        );
    }

    #[tokio::test]
    async fn nobody_there_and_no_such_host() {
        let free = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let client = client(PURPOSE).unwrap();
        let error = client
            .get(format!("https://{free}/key"))
            .send()
            .await
            .unwrap_err();
        let said = told(&error);
        assert!(
            said.starts_with(&format!(
                "could not connect to https://{free}: Connection refused"
            )),
            "{said}"
        );
        let error = client.get("http://a..invalid/key").send().await.unwrap_err();
        let said = told(&error);
        assert!(
            said.starts_with("could not connect to http://a..invalid: failed to lookup"),
            "{said}"
        );
    }
}
