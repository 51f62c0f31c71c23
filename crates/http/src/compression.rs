//! Compression of large responses (behaviour 0.39).
//!
//! A response is compressed piece by piece while it is sent. The encoder of actix compresses each
//! piece on the blocking pool.

use actix_http::encoding::Encoder;
use actix_web::body::BoxBody;
use actix_web::http::header::{AcceptEncoding, ContentEncoding, Encoding};
use actix_web::web::Bytes;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use daybook_edge::budget::Reservation;

use crate::pieces::{self, Pieces};

/// Responses above this size are compressed.
const MAX_PLAIN: usize = 16 * 1024;
/// The number of bytes that are compressed at a time.
const PIECE: usize = 256 * 1024;

/// Negotiates the encoding of a response; `None` to send it uncompressed.
fn negotiate(request: &HttpRequest, bytes: usize) -> Option<ContentEncoding> {
    if bytes <= MAX_PLAIN {
        return None;
    }
    let accepted = request.get_header::<AcceptEncoding>()?;
    let supported = [Encoding::zstd(), Encoding::gzip(), Encoding::identity()];
    match accepted.negotiate(supported.iter())? {
        Encoding::Known(ContentEncoding::Identity) | Encoding::Unknown(_) => None,
        Encoding::Known(encoding) => Some(encoding),
    }
}

/// Adds the body to a response, compressed if the client accepts it.
pub(crate) fn with_body(
    mut response: actix_web::HttpResponseBuilder,
    request: &HttpRequest,
    body: Bytes,
    memory: Option<Reservation>,
) -> HttpResponse {
    let Some(encoding) = negotiate(request, body.len()) else {
        return pieces::with_body(response, body, memory);
    };
    response.finish().map_body(|head, _| {
        BoxBody::new(Encoder::response(encoding, head, Pieces::of([body], PIECE, memory)))
    })
}

#[cfg(test)]
mod tests {
    use actix_web::body::BodySize;
    use actix_web::test::TestRequest;

    use super::*;
    use crate::pieces::size_and_pieces;

    #[test]
    fn uncompressed_response_is_sent_in_pieces() {
        let (body, request) = (Bytes::from(vec![b'x'; 1_000_000]), TestRequest::default());
        let request = request.to_http_request();
        let response = with_body(HttpResponse::Ok(), &request, body.clone(), None);
        let (size, pieces) = size_and_pieces(response);
        assert!(
            matches!(size, BodySize::Sized(1_000_000)),
            "the response has a content length: {size:?}"
        );
        assert!(pieces.iter().all(|piece| piece.len() <= 64 * 1024), "{} pieces", pieces.len());
        assert_eq!(pieces.concat(), body);
    }

    #[test]
    fn encoding_is_negotiated() {
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
            assert_eq!(negotiate(&request, MAX_PLAIN + 1), encoding, "{accepted:?}");
            assert_eq!(negotiate(&request, MAX_PLAIN), None, "{accepted:?}");
        }
    }
}
