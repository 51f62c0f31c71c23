//! A real browser: headless Chromium, controlled over WebDriver (W3C). One driver serves all
//! browsers of a run; each has its own profile. `tests/install-chromium` installs both.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::Agent;

use crate::guard::{Entry, Folder};
use crate::{free_port, pause, unique};

/// The timeout of waits for a page.
const PAGE_TIMEOUT: Duration = Duration::from_secs(60);
/// The key of an element reference in WebDriver.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// The size of a phone screen in pixels.
const TELEPHONE: (u32, u32) = (360, 640);

/// Reports a missing Chromium and how to install it.
pub fn missing() -> Option<String> {
    let there = |name: &str| Command::new(name).arg("--version").output().is_ok();
    if there("chromedriver") && ["chromium", "google-chrome"].into_iter().any(there) {
        return None;
    }
    Some("Chromium is not installed: run tests/install-chromium".to_owned())
}

struct Driver {
    address: String,
    profiles: Folder,
    _child: Child,
    _guard: Entry,
}

fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(|| {
        let port = free_port();
        let profiles = Folder::create(
            std::env::temp_dir().join(format!("daybook-chromium-{}", std::process::id())),
        );
        let child = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        // The browsers are in the process group of the driver.
        let guard = Entry::new(&format!("kill -9 -{}", child.id()));
        let address = format!("http://127.0.0.1:{port}");
        let started = Instant::now();
        while agent().get(format!("{address}/status")).call().is_err() {
            assert!(started.elapsed() < PAGE_TIMEOUT, "chromedriver listens");
            pause(Duration::from_millis(50));
        }
        Driver { address, profiles, _child: child, _guard: guard }
    })
}

fn agent() -> &'static Agent {
    static AGENT: OnceLock<Agent> = OnceLock::new();
    AGENT.get_or_init(|| {
        let config = Agent::config_builder().http_status_as_error(false).proxy(None);
        config.timeout_global(Some(Duration::from_secs(120))).build().new_agent()
    })
}

/// A browser with one window; closed when dropped.
pub struct Chromium {
    session: String,
}

impl Chromium {
    /// Starts a browser without cookies and scripts.
    #[track_caller]
    pub fn without_scripts() -> Self {
        Self::start(&json!({"profile.managed_default_content_settings.javascript": 2}))
    }

    /// Starts a browser without cookies.
    #[track_caller]
    pub fn with_scripts() -> Self {
        Self::start(&json!({}))
    }

    #[track_caller]
    fn start(preferences: &Value) -> Self {
        let driver = driver();
        let profile = driver.profiles.path().join(unique("profile"));
        let (width, height) = TELEPHONE;
        let options = json!({
            "args": [
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                format!("--window-size={width},{height}"),
                format!("--user-data-dir={}", profile.display()),
            ],
            "prefs": preferences,
        });
        let wanted = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}});
        let begun = ask("POST", &format!("{}/session", driver.address), &wanted);
        let id = begun["sessionId"].as_str().unwrap_or_else(|| panic!("a session: {begun}"));
        Self { session: format!("{}/session/{id}", driver.address) }
    }

    #[track_caller]
    fn post(&self, path: &str, body: &Value) -> Value {
        ask("POST", &format!("{}/{path}", self.session), body)
    }

    /// Opens an address and waits for the page.
    #[track_caller]
    pub fn open(&self, url: &str) {
        self.post("url", &json!({ "url": url }));
    }

    /// The current address.
    #[track_caller]
    pub fn url(&self) -> String {
        let shown = ask("GET", &format!("{}/url", self.session), &Value::Null);
        shown.as_str().expect("an address").to_owned()
    }

    /// Waits until the address begins with a text, and returns it.
    #[track_caller]
    pub fn wait_for(&self, start: &str) -> String {
        let begun = Instant::now();
        loop {
            // The driver may fail while a page loads.
            let shown = try_ask("GET", &format!("{}/url", self.session), &Value::Null);
            match shown.as_ref().map(Value::as_str) {
                Ok(Some(url)) if url.starts_with(start) => return url.to_owned(),
                _ => assert!(begun.elapsed() < PAGE_TIMEOUT, "{shown:?} is no {start}"),
            }
            pause(Duration::from_millis(30));
        }
    }

    /// The visible text.
    #[track_caller]
    pub fn text(&self) -> String {
        self.run(TEXT).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the page shows a text.
    #[track_caller]
    pub fn wait_for_text(&self, expected: &str) {
        let begun = Instant::now();
        let script = json!({"script": TEXT, "args": []});
        loop {
            let text = try_ask("POST", &format!("{}/execute/sync", self.session), &script);
            match text.as_ref().map(Value::as_str) {
                Ok(Some(text)) if text.contains(expected) => return,
                _ => assert!(begun.elapsed() < PAGE_TIMEOUT, "{expected:?} is shown: {text:?}"),
            }
            pause(Duration::from_millis(30));
        }
    }

    /// Runs a script through the driver, even where scripts are disabled.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({"script": script, "args": []}))
    }

    /// Finds elements by CSS selector.
    #[track_caller]
    pub fn find(&self, selector: &str) -> Vec<String> {
        let found = self.post("elements", &json!({"using": "css selector", "value": selector}));
        let ids = found.as_array().expect("elements").iter();
        ids.filter_map(|element| element[ELEMENT].as_str()).map(str::to_owned).collect()
    }

    /// Clicks the button with this text.
    #[track_caller]
    pub fn click(&self, label: &str) {
        let xpath = format!("//*[(self::button or self::a) and contains(., '{label}')]");
        let found = self.post("element", &json!({"using": "xpath", "value": xpath}));
        let Some(id) = found[ELEMENT].as_str() else {
            panic!("a button {label:?}: {found} in {:?}", self.text());
        };
        self.post(&format!("element/{id}/click"), &json!({}));
    }

    /// Replaces the text of the field that a CSS selector finds.
    #[track_caller]
    pub fn type_into(&self, selector: &str, text: &str) {
        let fields = self.find(selector);
        let field = fields.first().unwrap_or_else(|| panic!("{selector} in {:?}", self.text()));
        self.post(&format!("element/{field}/clear"), &json!({}));
        self.post(&format!("element/{field}/value"), &json!({ "text": text }));
    }

    /// Switches to a frame of the page.
    #[track_caller]
    pub fn enter_frame(&self, number: u64) {
        self.post("frame", &json!({ "id": number }));
    }

    /// Asserts that the page fits a phone screen without horizontal scrolling.
    #[track_caller]
    pub fn fits_a_telephone(&self) {
        let widths = "return [document.documentElement.scrollWidth, window.innerWidth]";
        let widths = self.run(widths);
        let width = |at: usize| widths[at].as_u64().expect("pixels");
        assert!(width(0) <= width(1), "{widths}: {}", self.text());
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = agent().delete(&self.session).call();
    }
}

/// The text of a page.
const TEXT: &str = "return document.body ? document.body.innerText : ''";

/// Sends a command to the driver; returns its value.
#[track_caller]
fn ask(method: &str, url: &str, body: &Value) -> Value {
    try_ask(method, url, body).unwrap_or_else(|text| panic!("{url} {body}: {text}"))
}

/// Sends a command to the driver; returns its value or its error.
#[track_caller]
fn try_ask(method: &str, url: &str, body: &Value) -> Result<Value, String> {
    let answer = match method {
        "GET" => agent().get(url).call(),
        _ => agent().post(url).content_type("application/json").send(body.to_string()),
    };
    let mut answer = answer.expect("the driver answers");
    let text = answer.body_mut().read_to_string().expect("text");
    let told: Value = serde_json::from_str(&text).expect("JSON");
    if answer.status().is_success() { Ok(told["value"].clone()) } else { Err(text) }
}
