//! Why a call failed, in one sentence for the log. Errors of HTTP clients say "error sending request for url (…)": what is wrong stands
//! at the end of their chain of sources, and the address may hold a key.

use reqwest::Url;
use rustls::CertificateError;
use std::{error::Error, io, iter};

const SILENT: &str = "no answer in time";

/// Scheme, host and port: all that is ever said of an address.
#[must_use]
pub fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// The whole sentence of an HTTP client's failure: which host, and why.
#[must_use]
pub fn told(error: &(dyn Error + 'static)) -> String {
    let reason = reason(error);
    let call = chain(error).find_map(|e| e.downcast_ref::<reqwest::Error>());
    match call.and_then(|call| Some((call, origin(call.url()?)))) {
        Some((call, origin)) if call.is_connect() => format!("could not connect to {origin}: {reason}"),
        Some((_, origin)) => format!("the call to {origin} failed: {reason}"),
        None => reason,
    }
}

/// The innermost cause, without an address.
#[must_use]
pub fn reason(error: &(dyn Error + 'static)) -> String {
    known(error)
        .or_else(|| {
            // Their own words repeat the address.
            chain(error)
                .filter(|e| !e.is::<reqwest::Error>())
                .last()
                .map(ToString::to_string)
        })
        .unwrap_or_else(|| "the call failed".into())
}

/// The cause where it is one of the network or of TLS: said without a word of whoever is at the other end.
#[must_use]
pub fn known(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(tls) = chain(error).find_map(|e| e.downcast_ref::<rustls::Error>()) {
        return Some(of_tls(tls));
    }
    if chain(error)
        .filter_map(|e| e.downcast_ref::<reqwest::Error>())
        .any(reqwest::Error::is_timeout)
    {
        return Some(SILENT.into());
    }
    let network = chain(error)
        .filter_map(|e| e.downcast_ref::<io::Error>())
        .last()?;
    Some(if network.kind() == io::ErrorKind::TimedOut {
        SILENT.into()
    } else {
        network.to_string()
    })
}

/// An error and its sources. What an I/O error wraps is its cause, though `source` passes over it.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| {
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        }
    })
}

fn of_tls(error: &rustls::Error) -> String {
    let rustls::Error::InvalidCertificate(certificate) = error else {
        return format!("TLS failed: {error}");
    };
    let why = match certificate {
        CertificateError::UnknownIssuer => "it was issued by nobody whom this program trusts",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => "it is not valid yet",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it is for another name"
        }
        CertificateError::Revoked => "it was revoked",
        _ => return format!("certificate refused: {certificate}"),
    };
    format!("certificate refused: {why}")
}
