//! The alerts and the dashboard name metrics that the server has, and the documents list them all.

use std::collections::BTreeSet;

use super::tree::{none, read, sources};

/// The starts of the names of metrics.
const STARTS: [&str; 2] = ["daybook_", "process_"];
/// The suffixes of the series of a histogram.
const OF_HISTOGRAMS: [&str; 3] = ["_bucket", "_sum", "_count"];

/// Returns the words of a text that look like names of metrics.
fn names(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names = words.filter(|word| STARTS.iter().any(|start| word.starts_with(start)));
    names.map(str::to_owned).collect()
}

/// Returns the metrics of the server: the texts in quotes in its module.
fn served() -> BTreeSet<String> {
    let mut served = BTreeSet::new();
    for source in sources(&["crates/server/src/metrics"]) {
        let code: Vec<&str> = source.code().map(|(_, line)| line).collect();
        let code = code.join("\n");
        // Every second part is inside of quotes.
        let texts = code.split('"').skip(1).step_by(2);
        served.extend(texts.filter(|text| names(text).contains(*text)).map(str::to_owned));
    }
    served
}

#[test]
fn named_metrics_are_served() {
    let served = served();
    assert!(served.contains("daybook_http_requests_total"), "{served:?}");
    let mut unknown = Vec::new();
    for path in
        ["ops/prometheus/alerts.yml", "ops/prometheus/alerts-test.yml", "ops/grafana/daybook.json"]
    {
        let named = names(&read(path));
        assert!(named.len() > 10, "{path} names metrics");
        for name in named {
            let base = OF_HISTOGRAMS.iter().find_map(|suffix| name.strip_suffix(suffix));
            if !served.contains(&name) && !base.is_some_and(|base| served.contains(base)) {
                unknown.push(format!("{path}: {name}"));
            }
        }
    }
    none(&unknown, "The server has every metric that a file of ops names");
}

/// The table of docs/operations.md lists the metrics of the server, and no others.
#[test]
fn metrics_are_documented() {
    let page = read("docs/operations.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let first = rows.filter_map(|row| row.split(['`', '{']).next());
    let listed: BTreeSet<String> =
        first.filter(|name| names(name).contains(*name)).map(str::to_owned).collect();
    assert_eq!(listed, served());
}
