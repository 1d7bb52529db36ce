//! The single-page app: files of the built face, read once at the start, served from memory, precompressed where a `.br`
//! file stands beside the original. Any other path gets `index.html`; the client's router decides.
//!
//! The service worker, what it keeps and the manifests have names without a hash: a browser asks for them anew each time.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web,
};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::{collections::HashMap, io, path::Path, sync::Arc};

struct File {
    body: Bytes,
    brotli: Option<Bytes>,
    mime: String,
    etag: String,
}

/// The built face; cheap to clone.
#[derive(Clone, Default)]
pub struct Spa {
    files: Arc<HashMap<String, File>>,
    secure: bool,
}

const NONCE: &str = "__CSP_NONCE__";

impl Spa {
    /// Reads a build folder. `secure` adds HSTS (https deployments).
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn load(folder: &Path, secure: bool) -> io::Result<Self> {
        let mut files = HashMap::new();
        read(folder, folder, &mut files)?;
        Ok(Self {
            files: Arc::new(files),
            secure,
        })
    }
}

fn read(root: &Path, folder: &Path, files: &mut HashMap<String, File>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(root, &path, files)?;
            continue;
        }
        if path.extension().is_some_and(|e| e == "br") {
            continue;
        }
        let body = Bytes::from(std::fs::read(&path)?);
        let mut beside = path.clone().into_os_string();
        beside.push(".br");
        let brotli = std::fs::read(beside).ok().map(Bytes::from);
        let name = path
            .strip_prefix(root)
            .unwrap_or(&path)
            .to_string_lossy()
            .replace('\\', "/");
        let mime = mime_guess::from_path(&path)
            .first_or_octet_stream()
            .essence_str()
            .to_owned();
        let etag = format!("\"{}\"", hex::encode(&Sha256::digest(&body)[..12]));
        files.insert(
            name,
            File {
                body,
                brotli,
                mime,
                etag,
            },
        );
    }
    Ok(())
}

/// Serves a file of the face, or `index.html`.
pub async fn serve(req: HttpRequest, spa: web::Data<Spa>) -> HttpResponse {
    if !matches!(req.method().as_str(), "GET" | "HEAD") {
        return HttpResponse::MethodNotAllowed().finish();
    }
    let path = req.path().trim_start_matches('/');
    match spa.files.get(path) {
        Some(file) if path != "index.html" => asset(&req, path, file),
        _ if path.starts_with("assets/") => HttpResponse::NotFound().finish(),
        _ => index(&spa),
    }
}

fn asset(req: &HttpRequest, path: &str, file: &File) -> HttpResponse {
    let text = |name: header::HeaderName| {
        req.headers()
            .get(name)
            .and_then(|v| v.to_str().ok())
            .unwrap_or_default()
    };
    let mut response = HttpResponse::build(StatusCode::OK);
    response
        .insert_header((header::CACHE_CONTROL, cache_of(path)))
        .insert_header((header::ETAG, file.etag.clone()))
        .insert_header((header::VARY, "Accept-Encoding"))
        .insert_header(("X-Content-Type-Options", "nosniff"));
    if text(header::IF_NONE_MATCH) == file.etag {
        return response.status(StatusCode::NOT_MODIFIED).finish();
    }
    response.content_type(file.mime.clone());
    if let Some(policy) = policy_of(path) {
        response
            .insert_header((header::CONTENT_SECURITY_POLICY, policy))
            .insert_header((header::REFERRER_POLICY, "no-referrer"))
            .insert_header((header::X_FRAME_OPTIONS, "DENY"));
    }
    match &file.brotli {
        Some(brotli) if text(header::ACCEPT_ENCODING).contains("br") => response
            .insert_header((header::CONTENT_ENCODING, "br"))
            .body(brotli.clone()),
        _ => response.body(file.body.clone()),
    }
}

/// The page that a browser shows while nobody answers, and the service worker that keeps it.
const OFFLINE: &str = "offline.html";
const WORKER: &str = "sw.js";

fn cache_of(path: &str) -> &'static str {
    // Names of built assets carry a hash of their content.
    if path.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else if path == WORKER || path == OFFLINE || path.ends_with(".webmanifest") {
        "no-cache"
    } else {
        "public, max-age=300"
    }
}

/// What is a document, or runs by itself, says what it may do; the browser keeps the first one's words beside it.
fn policy_of(path: &str) -> Option<&'static str> {
    match path {
        OFFLINE => Some(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        WORKER => Some("default-src 'self'; object-src 'none'"),
        _ => None,
    }
}

fn index(spa: &Spa) -> HttpResponse {
    let Some(file) = spa.files.get("index.html") else {
        return HttpResponse::ServiceUnavailable()
            .content_type("text/plain; charset=utf-8")
            .body("The web app is not built. Run: make run");
    };
    let nonce = data_encoding::BASE64URL_NOPAD.encode(&rand::random::<[u8; 16]>());
    let page = String::from_utf8_lossy(&file.body).replace(NONCE, &nonce);
    // Style tags of the component library carry the nonce; scripts come from files only.
    let policy = format!(
        "default-src 'self'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:; font-src 'self'; \
         connect-src 'self'; worker-src 'self'; manifest-src 'self'; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'"
    );
    let mut response = HttpResponse::Ok();
    response
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::CONTENT_SECURITY_POLICY, policy))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header((header::X_FRAME_OPTIONS, "DENY"))
        .insert_header(("X-Content-Type-Options", "nosniff"))
        .insert_header(("Permissions-Policy", "camera=(), microphone=(), geolocation=()"));
    if spa.secure {
        response.insert_header((
            header::STRICT_TRANSPORT_SECURITY,
            "max-age=31536000; includeSubDomains",
        ));
    }
    response.body(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    const BUILT: [(&str, &str); 6] = [
        ("index.html", "<p nonce=\"__CSP_NONCE__\">A</p>"),
        ("sw.js", "self"),
        ("offline.html", "<p>A</p>"),
        ("manifest.en.webmanifest", "{}"),
        ("icons/icon-192.png", "png"),
        ("assets/offline-abcdefg.js", "1"),
    ];

    async fn asked(spa: &Spa, path: &str) -> HttpResponse {
        let request = TestRequest::with_uri(path).to_http_request();
        serve(request, web::Data::new(spa.clone())).await
    }

    fn header_of(response: &HttpResponse, name: &str) -> String {
        response
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
            .unwrap_or_default()
    }

    #[actix_web::test]
    async fn what_has_no_hash_in_its_name_and_decides_what_runs_is_asked_for_each_time() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in BUILT {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let spa = Spa::load(folder.path(), false).unwrap();
        for (path, mime, cache) in [
            ("/sw.js", "text/javascript", "no-cache"),
            ("/offline.html", "text/html", "no-cache"),
            (
                "/manifest.en.webmanifest",
                "application/manifest+json",
                "no-cache",
            ),
            ("/icons/icon-192.png", "image/png", "public, max-age=300"),
            (
                "/assets/offline-abcdefg.js",
                "text/javascript",
                "public, max-age=31536000, immutable",
            ),
            ("/wallet", "text/html; charset=utf-8", "no-store"),
        ] {
            let response = asked(&spa, path).await;
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            assert_eq!(header_of(&response, "content-type"), mime, "{path}");
            assert_eq!(header_of(&response, "cache-control"), cache, "{path}");
            assert_eq!(
                header_of(&response, "x-content-type-options"),
                "nosniff",
                "{path}"
            );
        }
        let policy = header_of(&asked(&spa, "/").await, "content-security-policy");
        assert!(policy.contains("worker-src 'self'; manifest-src 'self'"));
        let offline = header_of(&asked(&spa, "/offline.html").await, "content-security-policy");
        assert!(offline.starts_with("default-src 'none'; script-src 'self'"));
        assert!(!offline.contains("unsafe"));
        assert_eq!(
            header_of(&asked(&spa, "/sw.js").await, "content-security-policy"),
            "default-src 'self'; object-src 'none'"
        );
    }
}
