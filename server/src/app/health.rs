//! `server health`: asks as whoever watches over a container would.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use anyhow::{Context as _, bail};
use serde_json::Value;
use sqlx::Connection;

use crate::{
    config::StoreConfig,
    foundation::{
        clock::{Clock, SystemClock},
        database,
        outbound::{self, Purpose},
    },
    wallet::hot,
};

const PATIENCE: Duration = Duration::from_secs(4);

/// Whether the server that listens there can serve.
pub async fn server(bind: SocketAddr) -> anyhow::Result<()> {
    let host = match bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    let address = SocketAddr::new(host, bind.port());
    let http = outbound::client(Purpose {
        local: true,
        ..Purpose::within(PATIENCE)
    })?;
    let response = http
        .get(format!("http://{address}/readyz"))
        .send()
        .await
        .ok()
        .with_context(|| format!("nobody answers at {address}"))?;
    if response.status().is_success() {
        return Ok(());
    }
    let answer: Value = response.json().await.unwrap_or_default();
    bail!("the server is not ready: {}", answer["reasons"]);
}

/// Whether somebody signs for the servers of this database.
pub async fn signer(config: &StoreConfig) -> anyhow::Result<()> {
    let mut connection = database::look(config).await?;
    let signing = hot::jobs::is_signing(&mut connection, SystemClock.now()).await;
    connection.close().await.ok();
    if !signing? {
        bail!("nobody has signed for a minute");
    }
    Ok(())
}
