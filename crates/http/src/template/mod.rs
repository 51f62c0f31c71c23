//! Templates: starter books from the configuration (behaviour 9.7). Only this crate knows them.

pub(crate) mod catalog;

use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;

/// GET templates.
pub(crate) async fn list_templates(request: ApiRequest) -> ApiResult {
    Ok(reply::ok(&request.state.templates))
}
