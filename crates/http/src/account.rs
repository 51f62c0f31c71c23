//! Accounts: handlers and wire shapes.

use daybook_domain::account::{Account, AccountRef, AccountType, Changes};
use daybook_domain::field::Field;
use daybook_domain::group::{Forest, Group, GroupRef};
use daybook_edge::error::ApiError;
use daybook_service::account::{self, Input, View};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::body::{Body, Items};
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{
    IterOut, NameOut, Present, PropertiesIn, PropertiesOut, RefIn, StampOut, TextOrNumber, convert,
    field, id_text, objects_only, one_of,
};

/// The body of an account.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", remote = "Self")]
pub(crate) struct AccountIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, rename = "type", deserialize_with = "account_type")]
    kind: Option<AccountType>,
    #[serde(default)]
    permanent: Option<bool>,
    #[serde(default)]
    credit: Option<bool>,
    #[serde(default)]
    archived: Option<bool>,
    #[serde(default, deserialize_with = "field")]
    groups: Field<Vec<RefIn>>,
    #[serde(default, deserialize_with = "field")]
    min_balance: Field<TextOrNumber>,
    #[serde(default)]
    properties: PropertiesIn,
    #[serde(default)]
    created_at: Present,
}

objects_only!(AccountIn);

fn account_type<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<AccountType>, D::Error> {
    one_of(reader, "ASSET, LIABILITY, INCOMING, OUTGOING", AccountType::from_name)
}

impl AccountIn {
    /// Converts the body to the input of a create or update.
    ///
    /// In a round trip (a body with `createdAt`) absent groups mean none (behaviour 4.9).
    pub(crate) fn into_input(self) -> Input {
        let Self {
            id,
            name,
            kind,
            permanent,
            credit,
            archived,
            groups,
            min_balance,
            properties,
            created_at,
        } = self;
        let references = match groups.absent_clears(created_at.is_some()) {
            Field::Keep => Field::Keep,
            Field::Clear => Field::Set(Vec::new()),
            Field::Set(groups) => Field::Set(groups.into_iter().map(GroupRef::from).collect()),
        };
        let changes = Changes {
            id: id_text(id),
            name,
            kind,
            nature: permanent.zip(credit),
            archived,
            groups: Field::Keep,
            min_balance: convert(min_balance),
            properties: properties.unwrap_or_default(),
        };
        Input { changes, groups: references }
    }

    /// Converts the body of a delete to a reference: the id, or the name without an id.
    fn into_reference(mut self) -> AccountRef {
        AccountRef::of_target(id_text(self.id).as_deref(), &mut self.name)
    }
}

/// The body of an account from older clients (behaviour 12.6), with two additional fields.
#[derive(Debug)]
pub(crate) struct LedgerAccountIn {
    account: AccountIn,
    legacy: LegacyFieldsIn,
}

/// The fields that only older clients send.
#[derive(Debug, Deserialize)]
struct LegacyFieldsIn {
    #[serde(default)]
    group: Option<String>,
    #[serde(default)]
    description: Option<String>,
}

impl<'de> Deserialize<'de> for LedgerAccountIn {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(reader)?;
        let account = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
        let legacy = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
        Ok(Self { account, legacy })
    }
}

impl LedgerAccountIn {
    /// Converts the body to the input of a create.
    ///
    /// The group is added to `groups`, and the description becomes a property.
    fn into_input(self) -> Input {
        let Self { account, legacy: LegacyFieldsIn { group, description } } = self;
        let Input { mut changes, groups } = account.into_input();
        let is_present = |text: &String| !text.trim().is_empty();
        let groups = match group.filter(is_present) {
            None => groups,
            Some(name) => {
                let mut all = groups.value().unwrap_or_default();
                all.push(GroupRef { id: None, name: Some(name) });
                Field::Set(all)
            }
        };
        if let Some(description) = description.filter(is_present) {
            let key = "description".to_owned();
            changes.properties.entry(key).or_insert(Some(description));
        }
        Input { changes, groups }
    }
}

/// A group in the shape of an account (behaviour 4.18).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MembershipOut<'v> {
    #[serde(flatten)]
    name: NameOut<'v>,
    hidden: bool,
    properties: PropertiesOut<'v>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<ParentIdOut>,
}

/// The id of the parent of a group.
#[derive(Serialize)]
struct ParentIdOut {
    id: String,
}

impl<'v> From<&'v Group> for MembershipOut<'v> {
    fn from(group: &'v Group) -> Self {
        Self {
            name: NameOut::from(group),
            hidden: group.hidden,
            properties: PropertiesOut(&group.properties),
            parent: group.parent.map(|id| ParentIdOut { id: id.to_string() }),
        }
    }
}

/// An account in full.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountOut<'v> {
    #[serde(flatten)]
    brief: BriefOut<'v>,
    balance_verified: bool,
    has_transaction_posted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_balance: Option<String>,
    groups: Vec<MembershipOut<'v>>,
    properties: PropertiesOut<'v>,
    #[serde(flatten)]
    stamp: StampOut,
}

/// An account in the rows of transaction lists (behaviour 2.10).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BriefOut<'v> {
    #[serde(flatten)]
    name: NameOut<'v>,
    r#type: &'static str,
    credit: bool,
    permanent: bool,
    archived: bool,
}

impl<'v> From<&'v Account> for BriefOut<'v> {
    fn from(account: &'v Account) -> Self {
        Self {
            name: NameOut::from(account),
            r#type: account.kind.as_str(),
            credit: account.kind.is_credit(),
            permanent: account.kind.is_permanent(),
            archived: account.archived,
        }
    }
}

impl<'v> AccountOut<'v> {
    pub(crate) fn new(account: &'v Account, forest: &'v Forest) -> Self {
        let mut groups: Vec<&Group> =
            account.groups.iter().filter_map(|id| forest.get(*id)).collect();
        groups.sort_by(|one, other| one.name.normalized().cmp(other.name.normalized()));
        Self {
            brief: BriefOut::from(account),
            balance_verified: account.balance_verified,
            has_transaction_posted: account.has_transaction_posted,
            min_balance: account.min_balance.map(|least| least.to_string()),
            groups: groups.into_iter().map(MembershipOut::from).collect(),
            properties: PropertiesOut(&account.properties),
            stamp: StampOut::from(&account.stamp),
        }
    }
}

/// Returns the bytes of the properties in the shape of an account, with those of its groups.
pub(crate) fn property_bytes(account: &Account, forest: &Forest) -> usize {
    let groups = account.groups.iter().filter_map(|id| forest.get(*id));
    let groups = groups.map(|group| group.properties.bytes()).fold(0, usize::saturating_add);
    account.properties.bytes().saturating_add(groups)
}

/// The accounts of a book.
pub(crate) struct AccountsOut<'v>(pub(crate) &'v View);

impl Serialize for AccountsOut<'_> {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        let Self(view) = self;
        let encode = |account| AccountOut::new(account, &view.forest);
        IterOut(|| view.accounts.iter().map(encode)).serialize(writer)
    }
}

/// The accounts of a list.
pub(crate) fn encode_list(view: &View) -> Reply {
    let encode = |account| AccountOut::new(account, &view.forest);
    reply::list(&view.accounts, encode, |account| account.id.to_string())
}

fn to_reply(view: &View) -> Reply {
    reply::item(&view.accounts, |account| AccountOut::new(account, &view.forest))
}

fn list(view: &View) -> Reply {
    encode_list(view)
        .on_too_large("ask for the accounts of one group (groups/{id}/accounts), or for one")
}

/// GET accounts.
pub(crate) async fn list_accounts(request: ApiRequest) -> ApiResult {
    let book = request.book();
    request
        .read_with_one_statement(move |tx, cx| account::list(tx, cx, &book), |view, _| list(view))
        .await
}

/// GET accounts/{id}.
pub(crate) async fn get_account(request: ApiRequest) -> ApiResult {
    let (book, id) = (request.book(), request.id());
    let tolerant = request.state.missing_as_no_content;
    let outcome = request
        .read_with_one_statement(
            move |tx, cx| account::get(tx, cx, &book, &id),
            |view, _| to_reply(view),
        )
        .await;
    reply::missing_as_no_content(outcome, tolerant)
}

/// GET accounts/{id}/groups.
pub(crate) async fn list_account_groups(request: ApiRequest) -> ApiResult {
    let (book, id) = (request.book(), request.id());
    let encode = |view: &_, _: &_| crate::group::encode_list(view);
    request.read_replicated(move |tx, cx| account::groups(tx, cx, &book, &id), encode).await
}

/// POST accounts.
pub(crate) async fn create_account(request: ApiRequest, body: Body<AccountIn>) -> ApiResult {
    create(request, vec![body.0.into_input()], to_reply).await.map_err(ApiError::without_item_index)
}

/// POST accounts at the path of older clients (behaviour 12.6).
pub(crate) async fn create_ledger_account(
    request: ApiRequest,
    body: Body<LedgerAccountIn>,
) -> ApiResult {
    create(request, vec![body.0.into_input()], to_reply).await.map_err(ApiError::without_item_index)
}

/// POST accounts/batch.
pub(crate) async fn create_accounts_batch(
    request: ApiRequest,
    body: Body<Items<AccountIn>>,
) -> ApiResult {
    create(request, body.items().into_iter().map(AccountIn::into_input).collect(), list).await
}

/// PUT accounts.
pub(crate) async fn update_account(request: ApiRequest, body: Body<AccountIn>) -> ApiResult {
    update(request.conditional()?, vec![body.0], to_reply)
        .await
        .map_err(ApiError::without_item_index)
}

/// PUT accounts/batch.
pub(crate) async fn update_accounts_batch(
    request: ApiRequest,
    body: Body<Items<AccountIn>>,
) -> ApiResult {
    update(request, body.items(), list).await
}

/// DELETE accounts/{id}.
pub(crate) async fn delete_account(request: ApiRequest) -> ApiResult {
    let reference = AccountRef { id: Some(request.id()), name: None };
    delete(request.conditional()?, vec![reference], to_reply)
        .await
        .map_err(ApiError::without_item_index)
}

/// POST accounts/delete/batch.
pub(crate) async fn delete_accounts_batch(
    request: ApiRequest,
    body: Body<Items<AccountIn>>,
) -> ApiResult {
    let references = body.items().into_iter().map(AccountIn::into_reference).collect();
    delete(request, references, list).await
}

async fn create(request: ApiRequest, items: Vec<Input>, encode: fn(&View) -> Reply) -> ApiResult {
    request
        .write_book(
            move |tx, cx, book| account::create(tx, cx, book, items),
            move |view, _| encode(view),
        )
        .await
}

async fn update(
    request: ApiRequest,
    items: Vec<AccountIn>,
    encode: fn(&View) -> Reply,
) -> ApiResult {
    let items = items.into_iter().map(AccountIn::into_input).collect();
    request
        .write_book(
            move |tx, cx, book| account::update(tx, cx, book, items),
            move |view, _| encode(view),
        )
        .await
}

async fn delete(
    request: ApiRequest,
    references: Vec<AccountRef>,
    encode: fn(&View) -> Reply,
) -> ApiResult {
    request
        .write_book(
            move |tx, cx, book| account::delete(tx, cx, book, &references),
            move |view, _| encode(view),
        )
        .await
}
