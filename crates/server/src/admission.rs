//! The options of admission: whose first sign-in creates a user (behaviour 11.11).

use clap::Args;
use daybook_domain::user::{Admission, Admitted};

#[derive(Debug, Args)]
pub(crate) struct AdmissionArgs {
    /// Addresses (alice@example.com) and domains (@example.org), separated by commas, whose holders
    /// become users when they first sign in through an identity provider, besides holders of
    /// addresses that a book is shared with; none by default
    #[arg(long, env = "DAYBOOK_ADMIT", value_delimiter = ',', value_name = "ENTRY")]
    admit: Vec<Admitted>,

    /// Do not admit holders of addresses that a book is shared with: admit only entries of --admit,
    /// and users that the operator's commands create
    #[arg(long, env = "DAYBOOK_ADMIT_NAMED_ONLY")]
    admit_named_only: bool,
}

impl AdmissionArgs {
    /// Returns the rules of admission.
    pub(crate) fn admission(&self) -> Admission {
        self.admit.iter().cloned().collect::<Admission>().with_named_only(self.admit_named_only)
    }
}
