//! The single-page app: files of the built face, read once at the start, served from memory, precompressed where a `.br`
//! file stands beside the original. Any other path gets `index.html`; the client's router decides.

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
    // Names of built assets carry a hash of their content.
    let cache = if path.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "public, max-age=300"
    };
    let mut response = HttpResponse::build(StatusCode::OK);
    response
        .insert_header((header::CACHE_CONTROL, cache))
        .insert_header((header::ETAG, file.etag.clone()))
        .insert_header((header::VARY, "Accept-Encoding"))
        .insert_header(("X-Content-Type-Options", "nosniff"));
    if text(header::IF_NONE_MATCH) == file.etag {
        return response.status(StatusCode::NOT_MODIFIED).finish();
    }
    response.content_type(file.mime.clone());
    match &file.brotli {
        Some(brotli) if text(header::ACCEPT_ENCODING).contains("br") => response
            .insert_header((header::CONTENT_ENCODING, "br"))
            .body(brotli.clone()),
        _ => response.body(file.body.clone()),
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
         connect-src 'self'; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
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
