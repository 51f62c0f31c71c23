//! Transfers of books to another owner (behaviour 6.21, 6.28).

use daybook_domain::book::TransferOffer;
use daybook_service::Context;
use daybook_service::book::{self, TransferRequest};
use serde::{Deserialize, Serialize};

use crate::body::Body;
use crate::book::to_reply;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{ListOut, objects_only};

/// The body of a transfer: the new owner of the book.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct NewOwnerIn {
    #[serde(default)]
    email: Option<String>,
}

objects_only!(NewOwnerIn);

/// The offer of a book to a new owner.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BookTransferOut {
    book_id: String,
    book_name: String,
    owner_email: String,
    email: String,
    created_at: String,
    expires_at: String,
}

impl From<&TransferOffer> for BookTransferOut {
    fn from(offer: &TransferOffer) -> Self {
        let expires_at = offer.expires_at().milliseconds().to_string();
        let TransferOffer { book, name, from, to, created_at } = offer;
        Self {
            book_id: book.to_string(),
            book_name: name.clone(),
            owner_email: from.to_string(),
            email: to.to_string(),
            created_at: created_at.milliseconds().to_string(),
            expires_at,
        }
    }
}

fn offer_to_reply(offer: &TransferOffer, _: &Context) -> Reply {
    reply::ok(&BookTransferOut::from(offer))
}

/// POST books/{bookId}/transfer.
pub(crate) async fn transfer_book(request: ApiRequest, body: Body<NewOwnerIn>) -> ApiResult {
    let request = request.conditional()?;
    let (state, NewOwnerIn { email }) = (request.state.clone(), body.0);
    let server = state.edge.site.canonical_url.clone();
    let reply = request
        .write_book(
            move |tx, cx, book| {
                let giving = TransferRequest { email: email.as_deref(), server: &server };
                book::transfer(tx, cx, book, giving)
            },
            to_reply,
        )
        .await?;
    state.edge.mails.notify();
    Ok(reply)
}

/// GET books/{bookId}/transfer.
pub(crate) async fn get_book_transfer(request: ApiRequest) -> ApiResult {
    let id = request.book();
    request.read(move |tx, cx| book::get_offer(tx, cx, &id), offer_to_reply).await
}

/// DELETE books/{bookId}/transfer.
pub(crate) async fn decline_book_transfer(request: ApiRequest) -> ApiResult {
    request.write_book(book::decline_offer, offer_to_reply).await
}

/// POST books/{bookId}/transfer/accept.
pub(crate) async fn accept_book_transfer(request: ApiRequest) -> ApiResult {
    request.write_book(book::accept_offer, to_reply).await
}

/// GET user/transfers.
pub(crate) async fn list_book_transfers(request: ApiRequest) -> ApiResult {
    let encode = |all: &Vec<TransferOffer>, _: &Context| {
        reply::ok(&ListOut::complete(all.iter().map(BookTransferOut::from).collect()))
    };
    request.read(book::list_offers, encode).await
}
