//! The configuration file: servers, tokens, and the book in use.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use daybook_client::Tokens;
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Result};

/// The server without any other choice: that of `make run`.
pub(crate) const DEFAULT_SERVER: &str = "http://127.0.0.1:8080";

/// The content of the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// The server of commands without `--server`.
    pub(crate) server: Option<String>,
    /// The stored data of each server, by its address.
    pub(crate) servers: BTreeMap<String, ServerEntry>,
}

/// The stored data of a server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ServerEntry {
    /// A token that was given as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<String>,
    /// The tokens of a sign-in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<Tokens>,
    /// The book of commands without `--book`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) book: Option<BookChoice>,
    /// The newest event that `verify` has seen of each book: its number and its hash.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) heads: BTreeMap<String, (i64, String)>,
}

/// A book, with what its amounts and dates need.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct BookChoice {
    /// Id of the book.
    pub(crate) id: String,
    /// Name of the book.
    pub(crate) name: String,
    /// Decimal places of its amounts.
    pub(crate) digits: u32,
    /// Whether amounts have a decimal comma.
    pub(crate) has_comma: bool,
    /// IANA name of its time zone.
    pub(crate) zone: String,
}

/// The file, where it is and what it says.
#[derive(Debug, Clone)]
pub(crate) struct ConfigFile {
    path: PathBuf,
    /// The content.
    pub(crate) config: Config,
}

impl ConfigFile {
    /// Reads the file; one that does not exist is empty.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a configuration.
    pub(crate) fn read(named: Option<&Path>) -> Result<Self> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => default_path()?,
        };
        let config = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                Failure::new(format!("invalid configuration file {}: {error}", path.display()))
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Config::default(),
            Err(error) => return Err(Failure::io(path.display(), &error)),
        };
        Ok(Self { path, config })
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Changes what is known of a server, and writes the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn change(&self, server: &str, change: impl FnOnce(&mut ServerEntry)) -> Result {
        self.update(|config| change(config.servers.entry(server.to_owned()).or_default()))
    }

    /// Makes a server that of later commands, and writes the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn choose(&self, server: &str) -> Result {
        self.update(|config| config.server = Some(server.to_owned()))
    }

    /// Reads the file again, changes it, and replaces it, while no other command does.
    ///
    /// Without the lock a command could write tokens back that another one has just renewed, and
    /// the next renewal would redeem a refresh token again, which ends the sign-in (11.18).
    fn update(&self, change: impl FnOnce(&mut Config)) -> Result {
        let failure = |error| Failure::io(self.path.display(), &error);
        if let Some(directory) = self.path.parent() {
            fs::create_dir_all(directory).map_err(failure)?;
        }
        // Not the file itself, because that is replaced.
        let lock = create(&self.path.with_added_extension("lock")).map_err(failure)?;
        // A file system without locks can have a configuration, too.
        let _ = lock.lock();
        let mut file = Self::read(Some(&self.path))?;
        change(&mut file.config);
        let text = serde_json::to_vec_pretty(&file.config)
            .map_err(|error| Failure::new(error.to_string()))?;
        let temporary = self.path.with_extension(format!("{}.tmp", std::process::id()));
        create(&temporary).and_then(|mut file| file.write_all(&text)).map_err(failure)?;
        fs::rename(&temporary, &self.path).map_err(failure)
    }
}

/// Creates an empty file that only its owner can read, because of the tokens.
fn create(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns the path of the XDG base directory specification, which ignores relative paths.
fn default_path() -> Result<PathBuf> {
    let directory = |name: &str| std::env::var_os(name).map(PathBuf::from);
    path_in(directory("XDG_CONFIG_HOME"), directory("HOME"))
}

/// Returns the path below the directory for configurations, or the home directory.
fn path_in(configurations: Option<PathBuf>, home: Option<PathBuf>) -> Result<PathBuf> {
    let failure = |problem: &str| {
        let message = format!("no directory for the configuration: {problem}");
        Failure::new(message).with_hint("set HOME to your home directory")
    };
    if let Some(directory) = configurations.filter(|directory| directory.is_absolute()) {
        return Ok(directory.join("dbk/config.json"));
    }
    let home = home.filter(|home| !home.as_os_str().is_empty());
    let home = home.ok_or_else(|| failure("HOME is not set"))?;
    match home.is_absolute() {
        true => Ok(home.join(".config/dbk/config.json")),
        false => Err(failure(&format!("HOME is {home:?}, expected an absolute path"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_home_is_refused() {
        let path = |configurations: &str, home: &str| {
            path_in(Some(configurations.into()), Some(home.into()))
                .map_err(|failure| failure.message)
        };
        assert_eq!(path("/etc/x", "."), Ok("/etc/x/dbk/config.json".into()));
        assert_eq!(path("x", "/home/a"), Ok("/home/a/.config/dbk/config.json".into()));
        let refused = |problem: &str| Err(format!("no directory for the configuration: {problem}"));
        assert_eq!(path("x", "."), refused("HOME is \".\", expected an absolute path"));
        assert_eq!(path("x", ""), refused("HOME is not set"));
    }

    #[test]
    fn simultaneous_changes_are_all_kept() {
        let directory = std::env::temp_dir().join(format!("dbk-changes-{}", std::process::id()));
        let path = directory.join("config.json");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let file = ConfigFile::read(Some(&path)).unwrap();
                scope.spawn(move || {
                    for number in 0..25 {
                        let set = |entry: &mut ServerEntry| entry.token = Some(number.to_string());
                        file.change(&format!("http://{thread}/{number}"), set).unwrap();
                    }
                });
            }
        });
        assert_eq!(ConfigFile::read(Some(&path)).unwrap().config.servers.len(), 100);
        fs::remove_dir_all(&directory).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn file_is_readable_by_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;

        let directory = std::env::temp_dir().join(format!("dbk-config-{}", std::process::id()));
        let path = directory.join("deep/config.json");
        let file = ConfigFile::read(Some(&path)).unwrap();
        file.change("http://a", |entry| entry.token = Some("secret".to_owned())).unwrap();
        file.choose("http://a").unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let config = ConfigFile::read(Some(&path)).unwrap().config;
        assert_eq!(config.server.as_deref(), Some("http://a"));
        assert_eq!(config.servers["http://a"].token.as_deref(), Some("secret"));
        fs::remove_dir_all(&directory).unwrap();
    }
}
