//! Groups: handlers and wire shapes.

use daybook_domain::field::Field;
use daybook_domain::group::{Changes, Forest, Group, GroupFlags, GroupRef};
use daybook_edge::error::ApiError;
use daybook_service::account;
use daybook_service::group::{self, Input, View};
use serde::{Deserialize, Serialize, Serializer};

use crate::body::{Body, Items};
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{
    IterOut, NameOut, Present, PropertiesIn, PropertiesOut, RefIn, StampOut, TextOrNumber, convert,
    field, id_text, objects_only,
};

/// The body of a group.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", remote = "Self")]
pub(crate) struct GroupIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, deserialize_with = "field")]
    parent: Field<RefIn>,
    #[serde(default)]
    hidden: Option<bool>,
    #[serde(default)]
    locked: Option<bool>,
    #[serde(default)]
    properties: PropertiesIn,
    #[serde(default)]
    created_at: Present,
}

objects_only!(GroupIn);

impl GroupIn {
    /// Converts the body to the input of a create or update.
    ///
    /// In a round trip (a body with `createdAt`) an absent parent means none (behaviour 4.13).
    pub(crate) fn into_input(self) -> Input {
        let Self { id, name, parent, hidden, locked, properties, created_at } = self;
        let parent: Field<GroupRef> = convert(parent.absent_clears(created_at.is_some()));
        let properties = properties.unwrap_or_default();
        Input {
            changes: Changes {
                id: id_text(id),
                name,
                parent: Field::Keep,
                hidden,
                locked,
                properties,
            },
            parent,
        }
    }

    /// Converts the body of a delete to a reference: the id, or the name without an id.
    fn into_reference(mut self) -> GroupRef {
        GroupRef::of_target(id_text(self.id).as_deref(), &mut self.name)
    }
}

/// A group with the flags derived from its accounts (behaviour 4.12).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupOut<'v> {
    #[serde(flatten)]
    name: NameOut<'v>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    credit: bool,
    has_accounts: bool,
    has_groups: bool,
    hidden: bool,
    locked: bool,
    mixed: bool,
    permanent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<NameOut<'v>>,
    properties: PropertiesOut<'v>,
    #[serde(flatten)]
    stamp: StampOut,
}

impl<'v> GroupOut<'v> {
    pub(crate) fn new(group: &'v Group, forest: &'v Forest) -> Self {
        let GroupFlags { kind, mixed, permanent, credit, has_accounts, has_groups } =
            forest.flags(group.id);
        Self {
            name: NameOut::from(group),
            r#type: kind.map(daybook_domain::account::AccountType::as_str),
            credit,
            has_accounts,
            has_groups,
            hidden: group.hidden,
            locked: group.locked,
            mixed,
            permanent,
            parent: group.parent.and_then(|id| forest.get(id)).map(NameOut::from),
            properties: PropertiesOut(&group.properties),
            stamp: StampOut::from(&group.stamp),
        }
    }
}

fn to_reply(view: &View) -> Reply {
    reply::item(&view.groups, |group| GroupOut::new(group, &view.forest))
}

/// The groups of a book.
pub(crate) struct GroupsOut<'v>(pub(crate) &'v View);

impl Serialize for GroupsOut<'_> {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        let Self(view) = self;
        let encode = |group| GroupOut::new(group, &view.forest);
        IterOut(|| view.groups.iter().map(encode)).serialize(writer)
    }
}

/// The groups of a list.
pub(crate) fn encode_list(view: &View) -> Reply {
    let encode = |group| GroupOut::new(group, &view.forest);
    reply::list(&view.groups, encode, |group| group.id.to_string())
}

fn list(view: &View) -> Reply {
    encode_list(view)
        .on_too_large("ask for the groups of one account (accounts/{id}/groups), or for one")
}

/// GET groups.
pub(crate) async fn list_groups(request: ApiRequest) -> ApiResult {
    let book = request.book();
    request
        .read_with_one_statement(move |tx, cx| group::list(tx, cx, &book), |view, _| list(view))
        .await
}

/// GET groups/{id}.
pub(crate) async fn get_group(request: ApiRequest) -> ApiResult {
    let (book, id) = (request.book(), request.id());
    let tolerant = request.state.missing_as_no_content;
    let outcome = request
        .read_with_one_statement(
            move |tx, cx| group::get(tx, cx, &book, &id),
            |view, _| to_reply(view),
        )
        .await;
    reply::missing_as_no_content(outcome, tolerant)
}

/// GET groups/{id}/accounts.
pub(crate) async fn list_group_accounts(request: ApiRequest) -> ApiResult {
    let (book, id) = (request.book(), request.id());
    let encode = |view: &_, _: &_| crate::account::encode_list(view);
    request.read_replicated(move |tx, cx| account::list_in_group(tx, cx, &book, &id), encode).await
}

/// POST groups.
pub(crate) async fn create_group(request: ApiRequest, body: Body<GroupIn>) -> ApiResult {
    create(request, vec![body.0], to_reply).await.map_err(ApiError::without_item_index)
}

/// POST groups/batch.
pub(crate) async fn create_groups_batch(
    request: ApiRequest,
    body: Body<Items<GroupIn>>,
) -> ApiResult {
    create(request, body.items(), list).await
}

/// PUT groups.
pub(crate) async fn update_group(request: ApiRequest, body: Body<GroupIn>) -> ApiResult {
    update(request.conditional()?, vec![body.0], to_reply)
        .await
        .map_err(ApiError::without_item_index)
}

/// PUT groups/batch (behaviour 12.9).
pub(crate) async fn update_groups_batch(
    request: ApiRequest,
    body: Body<Items<GroupIn>>,
) -> ApiResult {
    update(request, body.items(), list).await
}

/// DELETE groups/{id}.
pub(crate) async fn delete_group(request: ApiRequest) -> ApiResult {
    let id = request.id();
    delete(request.conditional()?, vec![GroupRef { id: Some(id), name: None }], to_reply)
        .await
        .map_err(ApiError::without_item_index)
}

/// POST groups/delete/batch (behaviour 12.9).
pub(crate) async fn delete_groups_batch(
    request: ApiRequest,
    body: Body<Items<GroupIn>>,
) -> ApiResult {
    let references = body.items().into_iter().map(GroupIn::into_reference).collect();
    delete(request, references, list).await
}

async fn create(request: ApiRequest, items: Vec<GroupIn>, encode: fn(&View) -> Reply) -> ApiResult {
    let items = items.into_iter().map(GroupIn::into_input).collect();
    request
        .write_book(
            move |tx, cx, book| group::create(tx, cx, book, items),
            move |view, _| encode(view),
        )
        .await
}

async fn update(request: ApiRequest, items: Vec<GroupIn>, encode: fn(&View) -> Reply) -> ApiResult {
    let items = items.into_iter().map(GroupIn::into_input).collect();
    request
        .write_book(
            move |tx, cx, book| group::update(tx, cx, book, items),
            move |view, _| encode(view),
        )
        .await
}

async fn delete(
    request: ApiRequest,
    references: Vec<GroupRef>,
    encode: fn(&View) -> Reply,
) -> ApiResult {
    request
        .write_book(
            move |tx, cx, book| group::delete(tx, cx, book, &references),
            move |view, _| encode(view),
        )
        .await
}
