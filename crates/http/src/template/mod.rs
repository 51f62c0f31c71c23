//! Templates on the wire (behaviour 9.7). They are configuration of the installation, so no other
//! crate knows them.

pub(crate) mod catalog;

use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;

/// GET templates.
pub(crate) async fn list_templates(request: ApiRequest) -> ApiResult {
    Ok(reply::ok(&request.state.templates))
}
