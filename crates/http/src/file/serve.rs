//! Serves the bytes of files to browsers, outside of the JSON API (behaviour 9.6).
//!
//! The URL contains a secret. It needs no other authentication.

use actix_web::body::SizedStream;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, EntityTag,
    Header, IfNoneMatch, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use daybook_blobs::{VerifiedBytes, open_with_row};
use daybook_domain::file::{File, FileAddress, Refusal, media};
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::run;
use daybook_service::{Error, file};

use crate::state::AppState;

/// The policy that prevents scripts and loads in a file on the origin of this server.
///
/// PDF files are exempt: the PDF viewers of browsers do not work in a sandbox, and need none.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// GET /files/{address}.
pub(crate) async fn serve(
    request: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let unknown =
        || ApiError::from(Error::from(Refusal::Unknown(path.chars().take(100).collect())));
    let address: FileAddress = path.parse().map_err(|_| unknown())?;
    let (book, file) = find(&state, &address).await?;
    let tag = EntityTag::new_strong(file.content.digest.clone());
    if IfNoneMatch::parse(&request).is_ok_and(|condition| matches_tag(&condition, &tag)) {
        return Ok(with_file_headers(HttpResponse::NotModified(), &file, tag).finish());
    }
    let find_again = async || find(&state, &address).await;
    let open =
        async |(book, file): &(String, File)| state.blobs.open(book, &file.content.blob).await;
    let ((book, file), bytes) =
        open_with_row((book, file), find_again, open, |(_, file)| file).await?;
    let tag = EntityTag::new_strong(file.content.digest.clone());
    let size = u64::try_from(file.content.size)
        .map_err(|_| RequestError::Failed("negative size of a file".to_owned()))?;
    let bytes = VerifiedBytes::new(bytes, &book, &file);
    let mut response = with_file_headers(HttpResponse::Ok(), &file, tag);
    Ok(response.body(SizedStream::new(size, bytes)))
}

async fn find(state: &AppState, address: &FileAddress) -> Result<(String, File), ApiError> {
    let address = address.clone();
    run::read_for_server(&state.edge, move |tx| file::serve(tx, &address)).await
}

/// Whether `If-None-Match` has the tag of the content, or is `*`.
pub(crate) fn matches_tag(condition: &IfNoneMatch, tag: &EntityTag) -> bool {
    match condition {
        IfNoneMatch::Any => true,
        IfNoneMatch::Items(tags) => tags.iter().any(|other| other.weak_eq(tag)),
    }
}

/// Adds the headers of a file.
///
/// Browsers may cache it, but must revalidate it each time: it may be changed or deleted.
fn with_file_headers(
    mut response: HttpResponseBuilder,
    file: &File,
    tag: EntityTag,
) -> HttpResponseBuilder {
    response
        .insert_header((CONTENT_TYPE, media::content_type(&file.content_type)))
        .insert_header((CONTENT_DISPOSITION, disposition(&file.name, &file.content_type)))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .insert_header((CACHE_CONTROL, "private, no-cache"))
        .insert_header((ETAG, tag.to_string()));
    if media::essence(&file.content_type) != "application/pdf" {
        response.insert_header((CONTENT_SECURITY_POLICY, POLICY));
    }
    response
}

/// Returns the `Content-Disposition` (RFC 6266): inline for harmless types, else an attachment.
pub(crate) fn disposition(name: &str, content_type: &str) -> String {
    let kind = if media::is_inline(content_type) { "inline" } else { "attachment" };
    let plain: String = name
        .chars()
        .map(|c| if matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '%') { c } else { '_' })
        .collect();
    let mut encoded = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    format!("{kind}; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_is_escaped() {
        assert_eq!(
            disposition("a b.pdf", "application/pdf"),
            "inline; filename=\"a b.pdf\"; filename*=UTF-8''a%20b.pdf"
        );
        assert_eq!(
            disposition("é\"\r\n;.html", "text/html"),
            "attachment; filename=\"____;.html\"; filename*=UTF-8''%C3%A9%22%0D%0A%3B.html"
        );
    }
}
