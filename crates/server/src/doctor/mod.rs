//! `daybook doctor`: checks an installation and says what to do, without changing anything.
//!
//! Each check gathers a value and passes it to a function that judges it, so the tests can judge
//! values that no test machine has. The command may run beside a server.
//!
//! | Module | Checks |
//! |---|---|
//! | `machine` | The data directory, the keys, the environment, the file systems, the unit |
//! | `database` | Schema, secrets, structure, settings, waiting work, audits |
//! | `network` | The public address with its proxy, the mail server |
//! | `webhook` | The addresses that webhooks may reach, and those of the installed apps |
//! | `last_backup` | Contents of files, the last good backup |

mod certificate;
mod check;
mod database;
mod last_backup;
mod machine;
mod network;
mod webhook;

use std::process::ExitCode;

use serde::Serialize;

use crate::cli::DoctorArgs;
use crate::installation::print;
use check::{Check, CheckOut};

/// The exit status with findings.
const FINDINGS: u8 = 3;

/// The result as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportOut<'c> {
    checks: Vec<CheckOut<'c>>,
    findings: usize,
}

/// Runs `daybook doctor`. The status is 3 with findings.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn run(options: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let mut checks = machine::checks(&options.serve);
    checks.extend(database::checks(options));
    actix_web::rt::System::new().block_on(async {
        checks.extend(network::checks(&options.serve).await);
        checks.extend(webhook::checks(&options.serve).await);
        checks.extend(last_backup::checks(options).await);
    });
    let findings = checks.iter().filter(|check| check.outcome.is_finding()).count();
    let numbered: Vec<CheckOut<'_>> =
        (1..).zip(&checks).map(|(number, check): (usize, &Check)| check.numbered(number)).collect();
    if options.json {
        print([serde_json::to_string(&ReportOut { checks: numbered, findings })?])?;
    } else {
        print(numbered.iter().map(CheckOut::line))?;
        print([match findings {
            0 => "No findings.".to_owned(),
            1 => "1 finding.".to_owned(),
            count => format!("{count} findings."),
        }])?;
    }
    Ok(if findings == 0 { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
}
