//! Large answers are compressed for clients that ask for it, piece by piece while they are sent
//! (behaviour 0.39). The encoder is actix's own; each piece is compressed on a thread that may
//! block.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_http::encoding::Encoder;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::header::{AcceptEncoding, ContentEncoding, Encoding};
use actix_web::web::Bytes;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};

/// Bytes of an answer behind which it is compressed.
const MAX_PLAIN: usize = 16 * 1024;
/// Bytes that are compressed at a time.
const PIECE: usize = 256 * 1024;

/// How the client wants an answer of so many bytes; nothing when it is to be sent as it is.
fn wanted(request: &HttpRequest, bytes: usize) -> Option<ContentEncoding> {
    if bytes <= MAX_PLAIN {
        return None;
    }
    let accepted = request.get_header::<AcceptEncoding>()?;
    let known = [Encoding::zstd(), Encoding::gzip(), Encoding::identity()];
    match accepted.negotiate(known.iter())? {
        Encoding::Known(ContentEncoding::Identity) | Encoding::Unknown(_) => None,
        Encoding::Known(encoding) => Some(encoding),
    }
}

/// The response with this body, as the client wants it.
pub(crate) fn with_body(
    mut response: actix_web::HttpResponseBuilder,
    request: &HttpRequest,
    body: Bytes,
) -> HttpResponse {
    let Some(encoding) = wanted(request, body.len()) else { return response.body(body) };
    response
        .finish()
        .map_body(|head, _| BoxBody::new(Encoder::response(encoding, head, Pieces(body))))
}

/// A body in pieces.
struct Pieces(Bytes);

impl MessageBody for Pieces {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(u64::try_from(self.0.len()).unwrap_or(u64::MAX))
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let length = self.0.len().min(PIECE);
        Poll::Ready((length > 0).then(|| Ok(self.0.split_to(length))))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn clients_say_what_they_want() {
        for (accepted, encoding) in [
            (None, None),
            (Some("gzip, deflate, br"), Some(ContentEncoding::Gzip)),
            (Some("zstd;q=0.9, gzip;q=0.5"), Some(ContentEncoding::Zstd)),
            (Some("br"), None),
            (Some("gzip;q=0"), None),
            (Some("identity"), None),
            (Some("identity;q=0, br"), None),
            (Some("nonsense;;q=x"), None),
        ] {
            let request = accepted.iter().fold(TestRequest::default(), |request, value| {
                request.insert_header(("Accept-Encoding", *value))
            });
            let request = request.to_http_request();
            assert_eq!(wanted(&request, MAX_PLAIN + 1), encoding, "{accepted:?}");
            assert_eq!(wanted(&request, MAX_PLAIN), None, "{accepted:?}");
        }
    }
}
