//! Checks of the container files and the unit that need neither a container engine nor systemd.
//! `make container` builds and starts the image where there is an engine.

use std::collections::BTreeMap;

use super::tree::{none, read, root};

/// Returns the instructions of the last stage of `ops/Containerfile`, each with its arguments.
fn last_stage() -> BTreeMap<String, Vec<String>> {
    let text = read("ops/Containerfile").replace("\\\n", " ");
    let mut stage = BTreeMap::<String, Vec<String>>::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, rest) = line.split_once(' ').expect("an instruction with arguments");
        if name == "FROM" {
            stage.clear();
        }
        let words = rest.split_whitespace().collect::<Vec<_>>().join(" ");
        stage.entry(name.to_owned()).or_default().push(words);
    }
    stage
}

/// The one value of an instruction.
#[track_caller]
fn only<'s>(stage: &'s BTreeMap<String, Vec<String>>, name: &str) -> &'s str {
    match stage.get(name).map(Vec::as_slice) {
        Some([value]) => value,
        other => panic!("{name} is given once: {other:?}"),
    }
}

/// Returns the images that a file names after a word, without those that are built here.
fn images(text: &str, word: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix(word));
    let images = lines.filter_map(|rest| rest.split_whitespace().next());
    images.filter(|image| !image.starts_with("localhost/")).map(str::to_owned).collect()
}

/// Returns the lines of a service in `ops/compose.yaml`, without indentation.
fn service(name: &str) -> Vec<String> {
    let text = read("ops/compose.yaml");
    let heading = format!("  {name}:");
    let lines = text.lines().skip_while(|line| *line != heading).skip(1);
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with("    "));
    lines.map(|line| line.trim().to_owned()).collect()
}

#[test]
fn images_have_a_registry_and_a_version() {
    let containerfile = read("ops/Containerfile");
    let built = images(&containerfile, "FROM ");
    let mut all = built.clone();
    all.extend(images(&read("ops/compose.yaml"), "image: "));
    assert_eq!(all.len(), 3, "{all:?}");
    let is_exact = |image: &str| {
        let (path, tag) = image.rsplit_once(':').unwrap_or((image, "latest"));
        path.split('/').next().is_some_and(|host| host.contains('.')) && tag != "latest"
    };
    let vague: Vec<String> = all.iter().filter(|image| !is_exact(image)).cloned().collect();
    none(&vague, "An image is named with its registry and a version");
    // The program runs with the C library that it was built with.
    for image in &built {
        assert!(image.contains("bookworm"), "{image}");
    }
    let manifest = read("Cargo.toml");
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let version = version.expect("the workspace has a rust-version").trim_matches('"');
    assert!(built[0].contains(&format!("/rust:{version}-")), "{} for Rust {version}", built[0]);
}

#[test]
fn image_runs_without_root_and_writes_to_its_volume_only() {
    let stage = last_stage();
    let (user, group) = only(&stage, "USER").split_once(':').expect("USER has a group");
    for id in [user, group] {
        assert!(id.parse::<u32>().is_ok_and(|id| id > 0), "USER {user}:{group} has root's rights");
    }
    let volume = only(&stage, "VOLUME");
    let variables = only(&stage, "ENV");
    let variable = |name: &str| {
        let found = variables.split(' ').find_map(|pair| pair.strip_prefix(name));
        found.unwrap_or_else(|| panic!("{name} is in ENV {variables}"))
    };
    assert_eq!(variable("DAYBOOK_DATA_DIR="), volume);
    let directory = format!("install -d -o {user} -g {group} -m 0700 {volume}");
    assert!(only(&stage, "RUN").contains(&directory), "the volume belongs to USER: {directory}");
    let listen = variable("DAYBOOK_LISTEN=");
    assert_eq!(listen.rsplit_once(':').map(|(_, port)| port), Some(only(&stage, "EXPOSE")));
    let (_, program) = only(&stage, "COPY").rsplit_once(' ').expect("a target");
    assert_eq!(only(&stage, "ENTRYPOINT"), format!("[\"{program}\"]"));
    assert_eq!(only(&stage, "CMD"), "[\"serve\"]");
    assert_eq!(only(&stage, "STOPSIGNAL"), "SIGTERM");
    let check = only(&stage, "HEALTHCHECK");
    assert!(check.ends_with(&format!("CMD [\"{program}\", \"health\"]")), "{check}");
}

#[test]
fn compose_file_runs_the_image_as_it_is_meant() {
    let daybook = service("daybook");
    let has = |line: &str| daybook.iter().any(|found| found == line);
    assert!(has("read_only: true"), "{daybook:?}");
    let volume = only(&last_stage(), "VOLUME").to_owned();
    assert!(has(&format!("- data:{volume}")) && has("- /tmp"), "{daybook:?}");
    let dockerfile = daybook.iter().find_map(|line| line.strip_prefix("dockerfile: "));
    let dockerfile = dockerfile.expect("the image is built");
    assert!(root().join(dockerfile).exists(), "{dockerfile}");
    // The proxy with TLS is the only way from outside.
    let ports: Vec<&String> = daybook.iter().filter(|line| line.starts_with("- \"")).collect();
    assert_eq!(ports, ["- \"127.0.0.1:8080:8080\""]);
    let unit = read("ops/debian/daybook.service");
    let stop = unit.lines().find_map(|line| line.strip_prefix("TimeoutStopSec="));
    assert!(has(&format!("stop_grace_period: {}s", stop.expect("a limit"))), "as in the unit");
    // A password is never a default.
    for line in daybook.iter().chain(&service("database")).filter(|line| line.contains("_PASSWORD"))
    {
        assert!(line.contains("${POSTGRES_PASSWORD:?"), "{line}");
    }
}

/// The schema is upgraded before the unit is started.
#[test]
fn upgrades_have_no_time_limit() {
    let unit = read("ops/debian/daybook.service");
    for line in ["Type=notify", "TimeoutStartSec=infinity"] {
        assert!(unit.lines().any(|found| found == line), "{line} in\n{unit}");
    }
}

/// A misspelled variable would have no effect.
#[test]
fn variables_of_containers_are_documented() {
    let page = read("docs/configuration.md");
    let mut unknown = Vec::new();
    for path in ["ops/Containerfile", "ops/compose.yaml", "ops/debian/daybook.env"] {
        let text = read(path);
        let words = text.split(|c: char| !c.is_ascii_uppercase() && c != '_');
        let named: Vec<&str> = words.filter(|word| word.starts_with("DAYBOOK_")).collect();
        assert!(!named.is_empty(), "{path} sets options");
        let named = named.iter().filter(|name| !page.contains(&format!("`{name}`")));
        unknown.extend(named.map(|name| format!("{path}: {name}")));
    }
    none(&unknown, "docs/configuration.md has every variable that a file of ops sets");
}
