//! The wire shapes of files.

use std::fmt;

use actix_web::web::Bytes;
use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::display::Base64Display;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose};
use daybook_domain::book::Book;
use daybook_domain::field::Field;
use daybook_domain::file::{Attachment, Changes, Content, File, FileAddress, MAX_BYTES};
use daybook_edge::error::RequestError;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::wire::{
    PropertiesIn, PropertiesOut, StampOut, TextOrNumber, field, id_text, objects_only,
};

/// Accepts Base64 with and without padding.
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const URL: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// The body of a file, or an entry of the `files[]` of a transaction.
///
/// Computed fields are ignored (behaviour 9.13).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", remote = "Self")]
pub(crate) struct FileIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, deserialize_with = "field")]
    content_type: Field<String>,
    #[serde(default)]
    content: Option<ContentIn>,
    #[serde(default)]
    properties: PropertiesIn,
    /// The content, after its bytes were stored.
    #[serde(skip)]
    stored: Option<Content>,
}

objects_only!(FileIn);

impl FileIn {
    /// Converts the body to the input of a create; without content the file is empty.
    ///
    /// # Errors
    /// 413 for too large content.
    pub(crate) fn into_new(self) -> Result<(Changes, Bytes), RequestError> {
        let (changes, bytes) = self.into_changes()?;
        Ok((changes, bytes.unwrap_or_default()))
    }

    /// Converts the body to the input of an update, and returns its bytes.
    ///
    /// # Errors
    /// 413 for too large content.
    pub(crate) fn into_changes(self) -> Result<(Changes, Option<Bytes>), RequestError> {
        let Self { id, name, content_type, content, properties, stored: _ } = self;
        let bytes = content.map(ContentIn::bytes).transpose()?;
        Ok((
            Changes {
                id: id_text(id),
                name,
                content_type,
                properties: properties.unwrap_or_default(),
                content: None,
            },
            bytes,
        ))
    }

    /// Takes the bytes, to store them.
    ///
    /// # Errors
    /// 413 for too large content.
    pub(crate) fn take_bytes(&mut self) -> Result<Option<Bytes>, RequestError> {
        self.content.take().map(ContentIn::bytes).transpose()
    }

    /// Returns the number of bytes.
    pub(crate) fn size(&self) -> usize {
        match &self.content {
            Some(ContentIn::Bytes(bytes)) => bytes.len(),
            Some(ContentIn::TooLarge) | None => 0,
        }
    }

    /// Sets the content, after its bytes were stored.
    pub(crate) fn set_stored(&mut self, content: Content) {
        self.stored = Some(content);
    }

    /// Converts an entry of the `files[]` of a transaction.
    pub(crate) fn into_attachment(self) -> Attachment {
        let Self { id, name, content_type, content: _, properties, stored } = self;
        let changes = Changes {
            id: None,
            name,
            content_type,
            properties: properties.unwrap_or_default(),
            content: None,
        };
        Attachment::Given {
            id: id_text(id),
            new: stored.map(|content| Box::new((changes, content))),
        }
    }
}

/// The content of a file.
///
/// It is decoded while the body is parsed, so that its Base64 and bytes are not in memory together
/// for long.
enum ContentIn {
    Bytes(Bytes),
    /// Larger than the maximum.
    TooLarge,
}

impl ContentIn {
    fn bytes(self) -> Result<Bytes, RequestError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::TooLarge => Err(RequestError::FileTooLarge),
        }
    }
}

impl fmt::Debug for ContentIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes(_) => "Bytes",
            Self::TooLarge => "TooLarge",
        })
    }
}

impl<'de> Deserialize<'de> for ContentIn {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Base64Visitor;
        impl Visitor<'_> for Base64Visitor {
            type Value = ContentIn;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string of Base64")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<ContentIn, E> {
                let bytes = decode(text)
                    .map_err(|error| E::custom(format!("the content is not Base64: {error}")))?;
                Ok(if bytes.len() > MAX_BYTES {
                    ContentIn::TooLarge
                } else {
                    ContentIn::Bytes(bytes.into())
                })
            }
        }
        reader.deserialize_str(Base64Visitor)
    }
}

/// Decodes Base64 in both alphabets of RFC 4648, with or without padding and line breaks.
fn decode(text: &str) -> Result<Vec<u8>, base64::DecodeError> {
    let engine = if text.bytes().any(|byte| matches!(byte, b'-' | b'_')) { &URL } else { &PLAIN };
    if text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return engine
            .decode(text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<u8>>());
    }
    engine.decode(text)
}

/// A file. Only getFile has its content.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileOut<'v> {
    id: String,
    name: String,
    content_type: String,
    size: i64,
    url: String,
    properties: PropertiesOut<'v>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "encode")]
    content: Option<Bytes>,
    #[serde(flatten)]
    stamp: StampOut,
}

impl<'v> FileOut<'v> {
    pub(crate) fn new(file: &'v File, book: &Book, base: &str) -> Self {
        let File { id, name, content_type, content, token: _, properties, created_by: _, stamp } =
            file;
        Self {
            id: id.to_string(),
            name: name.clone(),
            content_type: content_type.clone(),
            size: content.size,
            url: url(base, &file.address(&book.file_secret, book.id)),
            properties: PropertiesOut(properties),
            content: None,
            stamp: StampOut::from(stamp),
        }
    }

    pub(crate) fn with_content(self, content: Bytes) -> Self {
        Self { content: Some(content), ..self }
    }
}

/// Serializes bytes as Base64, without a copy of the whole text.
fn encode<S: Serializer>(content: &Option<Bytes>, writer: S) -> Result<S::Ok, S::Error> {
    writer.collect_str(&Base64Display::new(
        content.as_deref().unwrap_or_default(),
        &general_purpose::STANDARD,
    ))
}

/// Returns the absolute serving URL of a file.
pub(crate) fn url(base: &str, address: &FileAddress) -> String {
    format!("{base}/files/{address}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_in_all_forms() {
        for text in ["+/8=", "+/8", "-_8=", "-_8", "+/\r\n8=\n", " -_8 "] {
            assert_eq!(decode(text).unwrap(), [0xfb, 0xff], "{text}");
        }
        assert_eq!(decode("").unwrap(), b"");
        for bad in ["+/8==", "a", "+_8=", "a b!", "Zm9v=", "é"] {
            assert!(decode(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn too_large_content_differs_from_malformed_content() {
        let read = |length: usize| {
            serde_json::from_value::<ContentIn>(PLAIN.encode(vec![0; length]).into())
                .unwrap()
                .bytes()
        };
        assert_eq!(read(MAX_BYTES).unwrap().len(), MAX_BYTES);
        assert!(matches!(read(MAX_BYTES + 1), Err(RequestError::FileTooLarge)));
        assert!(
            serde_json::from_str::<ContentIn>("\"?\"").is_err()
                && serde_json::from_str::<ContentIn>("7").is_err()
        );
    }
}
