//! The store of file contents: a folder of this machine, or an S3-compatible store.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use daybook_blobs::Blobs;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::local::LocalFileSystem;
use object_store::prefix::PrefixStore;
use object_store::{ClientOptions, ObjectStore, RetryConfig};

use crate::private;

/// How often a request to a store is retried, and for how many seconds. A client waits for it.
const RETRIES: usize = 3;
const RETRY_SECONDS: u64 = 15;
/// The timeout of one request to a store, in seconds.
const REQUEST_SECONDS: u64 = 60;

/// The options of the store.
#[derive(Debug, Args)]
pub(crate) struct FileStoreArgs {
    /// Location of the files: file:///DIRECTORY or s3://BUCKET/PREFIX, used by this installation
    /// only; by default the folder "files" in the data directory
    #[arg(long, env = "DAYBOOK_FILES_URL", value_name = "URL")]
    pub(crate) files_url: Option<String>,

    /// Endpoint of an S3-compatible store other than Amazon's
    #[arg(long, env = "DAYBOOK_S3_ENDPOINT", value_name = "URL")]
    pub(crate) s3_endpoint: Option<String>,

    /// Region of the bucket
    #[arg(long, env = "DAYBOOK_S3_REGION", default_value = "us-east-1", value_name = "REGION")]
    pub(crate) s3_region: String,

    /// Access key of the bucket; without it, the role of the machine is used
    #[arg(long, env = "DAYBOOK_S3_ACCESS_KEY_ID", value_name = "ID", hide_env_values = true)]
    pub(crate) s3_access_key_id: Option<String>,

    /// Secret of the access key
    #[arg(
        long,
        env = "DAYBOOK_S3_SECRET_ACCESS_KEY",
        value_name = "SECRET",
        hide_env_values = true
    )]
    pub(crate) s3_secret_access_key: Option<String>,

    /// Session token of a temporary access key
    #[arg(long, env = "DAYBOOK_S3_SESSION_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub(crate) s3_session_token: Option<String>,
}

/// Opens the store like [`open`], but creates nothing. Returns `None` if the folder does not exist.
///
/// # Errors
/// Those of [`open`].
pub(crate) fn open_existing(
    options: &FileStoreArgs,
    data_dir: &Path,
) -> anyhow::Result<Option<Blobs>> {
    if folder(options, data_dir).is_some_and(|folder| !folder.exists()) {
        return Ok(None);
    }
    open(options, data_dir).map(Some)
}

/// Returns the folder that the options name, unless they name a bucket.
pub(crate) fn folder(options: &FileStoreArgs, data_dir: &Path) -> Option<PathBuf> {
    match &options.files_url {
        Some(url) => url.strip_prefix("file://").map(PathBuf::from),
        None => Some(data_dir.join("files")),
    }
}

/// Opens the store that the options name; by default a folder in the data directory.
///
/// # Errors
/// An invalid `--files-url`; half a pair of S3 keys; a folder that cannot be used.
pub(crate) fn open(options: &FileStoreArgs, data_dir: &Path) -> anyhow::Result<Blobs> {
    let (store, folder) = object_store(options, data_dir)?;
    Ok(match folder {
        Some(folder) => Blobs::on_disk(store, folder),
        None => Blobs::elsewhere(store),
    })
}

/// Returns the store that the options name, and its folder if it is one.
///
/// # Errors
/// Those of [`open`].
pub(crate) fn object_store(
    options: &FileStoreArgs,
    data_dir: &Path,
) -> anyhow::Result<(Arc<dyn ObjectStore>, Option<PathBuf>)> {
    let Some(url) = &options.files_url else { return on_disk(data_dir.join("files")) };
    match url.split_once("://") {
        Some(("file", path)) if path.starts_with('/') => on_disk(PathBuf::from(path)),
        Some(("s3", place)) => {
            let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
            if bucket.is_empty() {
                bail!("invalid --files-url {url:?}: expected a bucket as in s3://BUCKET/PREFIX");
            }
            let store = s3(options, bucket)
                .with_context(|| format!("the file store {url} cannot be used"))?;
            Ok((Arc::new(PrefixStore::new(store, prefix.trim_matches('/'))), None))
        }
        _ => bail!("invalid --files-url {url:?}: expected file:///DIRECTORY or s3://BUCKET/PREFIX"),
    }
}

fn on_disk(folder: PathBuf) -> anyhow::Result<(Arc<dyn ObjectStore>, Option<PathBuf>)> {
    private::make_directory(&folder)?;
    let store = LocalFileSystem::new_with_prefix(&folder)
        .with_context(|| format!("{} cannot be used for files", folder.display()))?;
    // With fsync, a power failure loses no bytes that a row names. The folder of a book is removed
    // with its last file.
    Ok((Arc::new(store.with_fsync(true).with_automatic_cleanup(true)), Some(folder)))
}

/// Opens a bucket with the options of the store of files.
///
/// # Errors
/// Half a pair of keys; an invalid address.
pub(crate) fn s3(options: &FileStoreArgs, bucket: &str) -> anyhow::Result<AmazonS3> {
    // This fails only if a crypto provider is already installed, which is fine.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let mut client = ClientOptions::new().with_timeout(Duration::from_secs(REQUEST_SECONDS));
    let mut builder =
        AmazonS3Builder::new().with_bucket_name(bucket).with_region(&options.s3_region);
    if let Some(endpoint) = &options.s3_endpoint {
        builder = builder.with_endpoint(endpoint);
        if endpoint.starts_with("http://") {
            // Without TLS no certificates need to be installed.
            client = client.with_allow_http(true).with_no_system_certificates(true);
        }
    }
    match (&options.s3_access_key_id, &options.s3_secret_access_key) {
        (Some(id), Some(secret)) => {
            builder = builder.with_access_key_id(id).with_secret_access_key(secret)
        }
        // The client uses the role of the machine.
        (None, None) => {}
        _ => bail!("give both --s3-access-key-id and --s3-secret-access-key, or neither"),
    }
    if let Some(token) = &options.s3_session_token {
        builder = builder.with_token(token);
    }
    let retry = RetryConfig {
        max_retries: RETRIES,
        retry_timeout: Duration::from_secs(RETRY_SECONDS),
        ..RetryConfig::default()
    };
    Ok(builder.with_client_options(client).with_retry(retry).build()?)
}
