//! Operations of the contract: user.

use reqwest::Method;

use crate::client::Client;
use crate::parameters::GetBillingCheckout;
use crate::request::Request;
use crate::types::{Billing, Counts, Url, User};

impl Client {
    /// Gets the caller.
    ///
    /// The user of the access token (9.11).
    ///
    /// `GET /v5/user` is `getUser`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.get_user().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_user(&self) -> Request<User> {
        Request::json(self, Method::GET, &["v5", "user"])
    }

    /// Gets billing.
    ///
    /// Returns a billing without charges, because a self-hosted server bills nothing (9.11).
    ///
    /// `GET /v5/user/billing` is `getBilling`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.get_billing().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_billing(&self) -> Request<Billing> {
        Request::json(self, Method::GET, &["v5", "user", "billing"])
    }

    /// Gets the address of the checkout.
    ///
    /// Returns `successUrl`, because a self-hosted server has no checkout (9.11).
    ///
    /// `GET /v5/user/billing/checkout` is `getBillingCheckout`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client
    ///     .get_billing_checkout("plan", "success_url", "cancel_url", &Default::default())
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_billing_checkout(
        &self,
        plan: &str,
        success_url: &str,
        cancel_url: &str,
        parameters: &GetBillingCheckout,
    ) -> Request<Url> {
        Request::json(self, Method::GET, &["v5", "user", "billing", "checkout"])
            .parameter("plan", Some(plan))
            .parameter("successUrl", Some(success_url))
            .parameter("cancelUrl", Some(cancel_url))
            .parameter("cycle", parameters.cycle.as_ref())
    }

    /// Counts the transactions of the last twelve months.
    ///
    /// Returns the postings in the books that the caller owns, by the month of posting in the zone
    /// of each book, oldest month first; `trashed` is zeros (9.8).
    ///
    /// `GET /v5/user/billing/counts` is `listBillingCounts`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_billing_counts().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_billing_counts(&self) -> Request<Counts> {
        Request::json(self, Method::GET, &["v5", "user", "billing", "counts"])
    }

    /// Gets the address of the billing portal.
    ///
    /// Returns `returnUrl`, because a self-hosted server has no billing portal (9.11).
    ///
    /// `GET /v5/user/billing/portal` is `getBillingPortal`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.get_billing_portal("return_url").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_billing_portal(&self, return_url: &str) -> Request<Url> {
        Request::json(self, Method::GET, &["v5", "user", "billing", "portal"])
            .parameter("returnUrl", Some(return_url))
    }
}
