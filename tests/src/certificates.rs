//! The certificates of a run: of an untrusted authority and of `localhost`.

use std::path::PathBuf;
use std::sync::OnceLock;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::guard::Folder;
use crate::unique;

fn folder() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let name = format!("daybook-{}-{}", std::process::id(), unique("certificates"));
        let folder = Folder::create(std::env::temp_dir().join(name));
        let key = || KeyPair::generate().expect("a key");
        let mut authority = CertificateParams::new(Vec::new()).expect("no names");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, key()).expect("an authority");
        let host = key();
        let names = vec!["localhost".to_owned()];
        let signed = CertificateParams::new(names).expect("a name").signed_by(&host, &authority);
        let write = |file: &str, text: String| {
            std::fs::write(folder.path().join(file), text).expect("a file");
        };
        write("authority.pem", authority.pem());
        write("host.pem", signed.expect("a certificate").pem());
        write("host.secret", host.serialize_pem());
        folder
    })
}

/// The file with the authority's certificate, for `SSL_CERT_FILE`.
pub fn authority() -> PathBuf {
    folder().path().join("authority.pem")
}

/// The file with the certificate of `localhost`.
pub fn host() -> PathBuf {
    folder().path().join("host.pem")
}

/// The file with the private key of `localhost`.
pub fn host_key() -> PathBuf {
    folder().path().join("host.secret")
}
