//! Checks of webhooks: the list of `--webhook-allow`, and the addresses of the installed apps.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::Duration;

use daybook_domain::app::App;
use daybook_domain::delivery::webhook_url;
use daybook_edge::outgoing::address::{host_of, system_lookup};
use daybook_edge::outgoing::allowed::WebhookTarget;
use daybook_storage::ReadOnlyStore;
use daybook_webhooks::WebhookClient;
use reqwest::Url;
use tokio::time::timeout;

use super::check::{Check, Outcome};
use crate::cli::ServeArgs;
use crate::plural::counted;
use crate::serve::is_trial;

/// Maximum number of apps that are checked.
const MAX_APPS: usize = 1_000;
/// How long the lookup of a host may take.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the checks of webhooks.
pub(super) async fn checks(options: &ServeArgs) -> Vec<Check> {
    let check = |name, outcome| Check { name, section: "webhooks", outcome };
    let allowed = match options.webhooks.allowed(is_trial(options)) {
        Ok(allowed) => allowed,
        Err(error) => {
            let outcome = Outcome::fault(format!("{error:#}"), "Correct --webhook-allow");
            return vec![check("webhook targets", outcome)];
        }
    };
    let targets = judge_targets(&allowed, options.webhooks.is_given());
    let addresses = addresses(options, allowed).await;
    vec![check("webhook targets", targets), check("webhook addresses", addresses)]
}

fn judge_targets(targets: &[WebhookTarget], is_given: bool) -> Outcome {
    if let Some(wide) = targets.iter().find(|target| is_given && target.is_wide()) {
        return Outcome::warning(
            format!("webhooks may reach the whole network {wide}"),
            "List only the hosts of your own apps in --webhook-allow",
        );
    }
    Outcome::fine(match (targets.len(), is_given) {
        (0, _) => "the public internet".to_owned(),
        (_, false) => "the public internet and this machine, as in a trial".to_owned(),
        (count, true) => format!("the public internet and {count} entries of --webhook-allow"),
    })
}

/// An app that is installed in a book, and the address of its webhook.
struct Webhook {
    app: String,
    /// `None` if the text of the manifest is not a valid URL.
    url: Option<Url>,
}

/// The IP addresses of hosts. A host that does not resolve has none.
type Resolved = BTreeMap<String, Vec<IpAddr>>;

async fn addresses(options: &ServeArgs, allowed: Vec<WebhookTarget>) -> Outcome {
    let webhooks = match installed(options) {
        Ok(webhooks) => webhooks,
        Err(error) => return Outcome::skipped(format!("the apps cannot be listed: {error:#}")),
    };
    match WebhookClient::new(allowed) {
        Ok(client) => judge_addresses(&client, &webhooks, &resolve(&webhooks).await),
        Err(error) => Outcome::skipped(error.to_string()),
    }
}

fn installed(options: &ServeArgs) -> anyhow::Result<Vec<Webhook>> {
    let mut store = ReadOnlyStore::open(&options.data.address()?)?;
    let apps: daybook_storage::Result<Vec<App>> = store.read(|tx| tx.apps().installed(MAX_APPS));
    let webhook = |app: &App| {
        let url = webhook_url(app, &[])?;
        Some(Webhook { app: app.id.to_string(), url: Url::parse(url).ok() })
    };
    Ok(apps?.iter().filter_map(webhook).collect())
}

/// Looks up the hosts of webhooks, all at the same time.
async fn resolve(webhooks: &[Webhook]) -> Resolved {
    let hosts: BTreeSet<&str> =
        webhooks.iter().filter_map(|webhook| webhook.url.as_ref().map(host_of)).collect();
    let lookup = system_lookup();
    let begin = |host: &str| {
        let looked_up = actix_web::rt::spawn(timeout(LOOKUP_TIMEOUT, lookup(host.to_owned())));
        (host.to_owned(), looked_up)
    };
    let running: Vec<_> = hosts.into_iter().map(begin).collect();
    let mut resolved = Resolved::new();
    for (host, looked_up) in running {
        let found = looked_up.await.ok().and_then(Result::ok).and_then(Result::ok);
        let found = found.unwrap_or_default();
        resolved.insert(host, found.iter().map(std::net::SocketAddr::ip).collect());
    }
    resolved
}

fn judge_addresses(client: &WebhookClient, webhooks: &[Webhook], resolved: &Resolved) -> Outcome {
    let faults: Vec<String> =
        webhooks.iter().filter_map(|webhook| fault(client, webhook, resolved)).collect();
    if let Some(first) = faults.first() {
        let (count, total) = (faults.len(), webhooks.len());
        return Outcome::warning(
            format!("{count} of {total} installed apps get no webhooks, first: {first}"),
            "List the hosts of your own apps in --webhook-allow, and let the developers of the \
             others correct webhookUrl",
        );
    }
    Outcome::fine(match webhooks.len() {
        0 => "no installed app has a webhook".to_owned(),
        count => format!("the addresses of {} may be reached", counted(count, "installed app")),
    })
}

/// Returns why no request may reach a webhook.
fn fault(client: &WebhookClient, webhook: &Webhook, resolved: &Resolved) -> Option<String> {
    let app = &webhook.app;
    let Some(url) = &webhook.url else {
        return Some(format!("the address of {app} is not a valid URL"));
    };
    let host = host_of(url);
    let found = resolved.get(host).map(Vec::as_slice).unwrap_or_default();
    if found.is_empty() {
        return Some(format!("{host} of {app} does not resolve"));
    }
    if client.may_reach(url, found) {
        return None;
    }
    let why = if url.scheme() == "https" { "has no public address" } else { "is used without TLS" };
    Some(format!("{host} of {app} {why} and is not in --webhook-allow"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(entries: &[&str]) -> Vec<WebhookTarget> {
        entries.iter().map(|entry| entry.parse().unwrap()).collect()
    }

    #[test]
    fn wide_network_for_webhooks_is_a_warning() {
        assert!(matches!(judge_targets(&targets(&["10.0.0.0/8"]), true), Outcome::Warning(_)));
        assert!(matches!(judge_targets(&targets(&["10.1.2.3", "bots"]), true), Outcome::Fine(_)));
        assert!(matches!(judge_targets(&WebhookTarget::loopback(), false), Outcome::Fine(_)));
        assert!(matches!(judge_targets(&[], false), Outcome::Fine(_)));
    }

    /// Judges a webhook whose host has these addresses, with these entries of the list.
    fn judge(url: &str, addresses: &[&str], allowed: &[&str]) -> Outcome {
        let client = WebhookClient::new(targets(allowed)).unwrap();
        let webhook = Webhook { app: "tax-bot".to_owned(), url: Url::parse(url).ok() };
        let host = webhook.url.as_ref().map(host_of).unwrap_or_default().to_owned();
        let addresses = addresses.iter().map(|text| text.parse().unwrap()).collect();
        judge_addresses(&client, &[webhook], &Resolved::from([(host, addresses)]))
    }

    #[test]
    fn webhook_that_may_not_be_reached_is_a_warning() {
        let (public, private) = (&["93.184.216.34"][..], &["10.1.2.3"][..]);
        let refused: [(&str, &[&str], &[&str], &str); 7] = [
            ("https://bot.example/", private, &[], "has no public address"),
            ("https://bot.example/", private, &["10.2.0.0/16"], "has no public address"),
            ("http://bot.example/", public, &[], "without TLS"),
            ("https://10.1.2.3/", private, &[], "has no public address"),
            ("https://169.254.169.254/", &["169.254.169.254"], &["0.0.0.0/0"], "no public"),
            ("https://bot.example/", &[], &["bot.example"], "bot.example of tax-bot does not"),
            ("https://[", &[], &[], "is not a valid URL"),
        ];
        for (url, addresses, allowed, why) in refused {
            let Outcome::Warning(finding) = judge(url, addresses, allowed) else {
                panic!("{url}: no warning")
            };
            assert!(finding.what.contains(why), "{url}: {}", finding.what);
            assert!(finding.what.starts_with("1 of 1 installed apps"), "{}", finding.what);
        }
        let reached: [(&str, &[&str], &[&str]); 5] = [
            ("https://bot.example/", public, &[]),
            ("https://bot.example/", &["10.1.2.3", "93.184.216.34"], &[]),
            ("https://bot.example/", private, &["10.1.0.0/16"]),
            ("http://bot.example/", private, &["bot.example"]),
            ("http://[::1]:3000/", &["::1"], &["::1"]),
        ];
        for (url, addresses, allowed) in reached {
            let outcome = judge(url, addresses, allowed);
            assert!(matches!(outcome, Outcome::Fine(_)), "{url}: {outcome:?}");
        }
        let client = WebhookClient::new(Vec::new()).unwrap();
        assert!(matches!(judge_addresses(&client, &[], &Resolved::new()), Outcome::Fine(_)));
    }

    #[test]
    fn hosts_are_looked_up() {
        // A name that is too long fails without a name server.
        let long = format!("http://{}.invalid/", "a".repeat(64));
        let webhooks = ["http://127.0.0.1:3000/", "http://[::1]/", &long]
            .map(|url| Webhook { app: String::new(), url: Some(Url::parse(url).unwrap()) });
        let resolved = actix_web::rt::System::new().block_on(resolve(&webhooks));
        let found: Vec<Vec<String>> = resolved
            .values()
            .map(|addresses| addresses.iter().map(ToString::to_string).collect())
            .collect();
        assert_eq!(found, [vec!["127.0.0.1"], vec!["::1"], vec![]]);
    }
}
