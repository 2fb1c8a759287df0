//! Small requests to a lab-server's admin port.

use std::net::SocketAddr;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::http::{
    BodyInterest, Connector, Interest, Request, RequestError, Response, TransportError,
};

/// Longest answer taken, in bytes.
const MAX_BODY: usize = 1024 * 1024;

/// The admin port gave no usable answer.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The path cannot be sent.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// Nothing, or nothing that is HTTP, answered.
    #[error("the admin port does not answer: {0}")]
    Transport(#[from] TransportError),
    /// No answer in time.
    #[error("the admin port did not answer within {} ms: is the server stopped?", .0.as_millis())]
    Timeout(Duration),
    /// An answer that is no success.
    #[error("the admin port answered with status {0}: is it a lab-server's?")]
    Status(u16),
    /// An answer that is not what was expected.
    #[error("the admin port's answer is not the JSON expected: {0}")]
    Json(#[from] serde_json::Error),
}

/// Reads the JSON at `path`, all within `timeout`.
///
/// # Errors
/// See [`AdminError`].
pub async fn get_json<T: DeserializeOwned>(
    address: SocketAddr,
    path: &str,
    timeout: Duration,
) -> Result<T, AdminError> {
    let response = send(address, "GET", path, timeout).await?;
    Ok(serde_json::from_slice(&response.body)?)
}

/// Posts to `path` without a body, all within `timeout`.
///
/// # Errors
/// See [`AdminError`].
pub async fn post(address: SocketAddr, path: &str, timeout: Duration) -> Result<(), AdminError> {
    send(address, "POST", path, timeout).await.map(drop)
}

async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    timeout: Duration,
) -> Result<Response, AdminError> {
    let (authority, headers) = (&address.to_string(), &[("Connection", "close")]);
    let mut bytes = Vec::new();
    Request { method, path, authority, headers, body: None }.render(&mut bytes)?;
    let interest = Interest { body: BodyInterest::Keep(MAX_BODY), ..Interest::default() };
    let exchange = async {
        let mut connection = Connector::new(&[address]).connect().await?;
        connection.exchange(&bytes, interest).await
    };
    let response = tokio::time::timeout(timeout, exchange)
        .await
        .map_err(|_| AdminError::Timeout(timeout))??;
    match response.status {
        200..300 => Ok(response),
        status => Err(AdminError::Status(status)),
    }
}
