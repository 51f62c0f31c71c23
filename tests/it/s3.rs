//! An S3 server for the tests: an independent implementation on loopback, which checks signatures.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use daybook_tests::{free_port, unique};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// The access key of the server.
pub const ACCESS_KEY: &str = "books-access-key";
pub const SECRET_KEY: &str = "books-secret-key";
/// The only bucket.
pub const BUCKET: &str = "ledgers";

/// An S3 server with one bucket; stopped when dropped.
pub struct Store {
    address: SocketAddr,
    home: PathBuf,
    runtime: Option<Runtime>,
}

impl Store {
    pub fn start() -> Store {
        let home = std::env::temp_dir().join(format!(
            "daybook-s3-{}-{}",
            std::process::id(),
            unique("store")
        ));
        std::fs::create_dir_all(home.join(BUCKET)).expect("a folder for the bucket");
        let mut store = Store {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, free_port())),
            home,
            runtime: None,
        };
        store.resume();
        store
    }

    /// Serves the same objects again at the same address.
    pub fn resume(&mut self) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let mut builder =
            S3ServiceBuilder::new(s3s_fs::FileSystem::new(&self.home).expect("a file system"));
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let service = builder.build();
        // Not in the range of outgoing connections, so that the port is free after a pause.
        let listener = runtime.block_on(TcpListener::bind(self.address)).expect("its port");
        runtime.spawn(serve(listener, service));
        self.runtime = Some(runtime);
    }

    /// Refuses connections until `resume`.
    pub fn pause(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Wait until the listener is closed.
            runtime.shutdown_timeout(Duration::from_secs(60));
        }
    }

    /// The options of a Daybook server that stores its files here.
    pub fn options(&self, secret: &str) -> Vec<String> {
        let endpoint = format!("http://{}", self.address);
        let options = [
            "--files-url",
            &format!("s3://{BUCKET}/one/two"),
            "--s3-endpoint",
            &endpoint,
            "--s3-access-key-id",
            ACCESS_KEY,
            "--s3-secret-access-key",
            secret,
        ];
        options.map(str::to_owned).to_vec()
    }

    /// The paths of all objects in the bucket, without the server's own marker.
    pub fn objects(&self) -> Vec<String> {
        let mut found = crate::file_sweep::below(&self.home.join(BUCKET));
        found.retain(|path| !path.split('/').any(|part| part.starts_with('.')));
        found
    }

    pub fn path(&self, object: &str) -> PathBuf {
        Path::new(&self.home).join(BUCKET).join(object)
    }
}

async fn serve(listener: TcpListener, service: S3Service) {
    while let Ok((stream, _)) = listener.accept().await {
        let service = service.clone();
        tokio::spawn(async move {
            // Ignore broken connections.
            drop(
                Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(stream), service)
                    .await,
            );
        });
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.pause();
        drop(std::fs::remove_dir_all(&self.home));
    }
}
