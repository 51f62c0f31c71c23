//! The options that say who becomes a user at the first sight (behaviour 11.11).

use clap::Args;
use daybook_domain::user::{Admission, Admitted};

#[derive(Debug, Args)]
pub(crate) struct AdmissionArgs {
    /// Who becomes a user at the first sight through an identity provider, separated by commas:
    /// addresses (alice@example.com) and domains (@example.org). Besides them whoever a book is
    /// shared with; nobody else by default
    #[arg(long, env = "DAYBOOK_ADMIT", value_delimiter = ',', value_name = "ENTRY")]
    admit: Vec<Admitted>,

    /// Admit nobody because a book is shared with them: only whom --admit names, and whom the
    /// commands of the operator make a user
    #[arg(long, env = "DAYBOOK_ADMIT_NAMED_ONLY")]
    admit_named_only: bool,
}

impl AdmissionArgs {
    /// Who is admitted.
    pub(crate) fn admission(&self) -> Admission {
        self.admit.iter().cloned().collect::<Admission>().named_only(self.admit_named_only)
    }
}
