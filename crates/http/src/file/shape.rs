//! The shapes of files.

use std::fmt;

use actix_web::web::Bytes;
use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::display::Base64Display;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose};
use daybook_domain::book::Book;
use daybook_domain::field::Field;
use daybook_domain::file::{Attachment, Changes, Content, File, FileAddress, MAX_BYTES};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::RequestError;
use crate::wire::{
    PropertiesIn, PropertiesOut, StampOut, TextOrNumber, field, id_text, objects_only,
};

/// Base64 is read with and without padding.
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const URL: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// A request body, or an entry of the `files[]` of a transaction, that is a file. Computed fields
/// are ignored (behaviour 9.13).
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
    /// The stored content, once the bytes have been stored.
    #[serde(skip)]
    stored: Option<Content>,
}

objects_only!(FileIn);

impl FileIn {
    /// The body as input of a create; without content the file is empty.
    ///
    /// # Errors
    /// 413 for content beyond the limit.
    pub(crate) fn into_new(self) -> Result<(Changes, Bytes), RequestError> {
        let (changes, bytes) = self.into_changes()?;
        Ok((changes, bytes.unwrap_or_default()))
    }

    /// The body as input of an update, and the bytes it brings.
    ///
    /// # Errors
    /// 413 for content beyond the limit.
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

    /// Takes the bytes out, to store them.
    ///
    /// # Errors
    /// 413 for content beyond the limit.
    pub(crate) fn take_bytes(&mut self) -> Result<Option<Bytes>, RequestError> {
        self.content.take().map(ContentIn::bytes).transpose()
    }

    /// How many bytes it brings.
    pub(crate) fn size(&self) -> usize {
        match &self.content {
            Some(ContentIn::Bytes(bytes)) => bytes.len(),
            Some(ContentIn::TooLarge) | None => 0,
        }
    }

    /// Notes the stored content.
    pub(crate) fn set_stored(&mut self, content: Content) {
        self.stored = Some(content);
    }

    /// The body as an entry of the `files[]` of a transaction.
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

/// The bytes of a file, decoded from Base64 while the body is read, so that text and bytes of 20 MB
/// are not held together for long.
enum ContentIn {
    Bytes(Bytes),
    /// More bytes than a file may have.
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

/// Decodes what encoders write: both alphabets of RFC 4648, padded or not, with line breaks or
/// without.
fn decode(text: &str) -> Result<Vec<u8>, base64::DecodeError> {
    let engine = if text.bytes().any(|byte| matches!(byte, b'-' | b'_')) { &URL } else { &PLAIN };
    if text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return engine
            .decode(text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<u8>>());
    }
    engine.decode(text)
}

/// A file. Its content is present only in the answer about one file.
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
        let File {
            id,
            name,
            content_type,
            content,
            token: _,
            properties: pairs,
            created_by: _,
            stamp,
        } = file;
        Self {
            id: id.to_string(),
            name: name.clone(),
            content_type: content_type.clone(),
            size: content.size,
            url: url(base, &file.address(&book.file_secret, book.id)),
            properties: PropertiesOut(pairs),
            content: None,
            stamp: StampOut::from(stamp),
        }
    }

    pub(crate) fn with_content(self, content: Bytes) -> Self {
        Self { content: Some(content), ..self }
    }
}

/// Writes Base64 piece by piece into the answer.
fn encode<S: Serializer>(content: &Option<Bytes>, writer: S) -> Result<S::Ok, S::Error> {
    writer.collect_str(&Base64Display::new(
        content.as_deref().unwrap_or_default(),
        &general_purpose::STANDARD,
    ))
}

/// The absolute serving address of a file.
pub(crate) fn url(base: &str, address: &FileAddress) -> String {
    format!("{base}/files/{address}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_encoders_write_it() {
        for text in ["+/8=", "+/8", "-_8=", "-_8", "+/\r\n8=\n", " -_8 "] {
            assert_eq!(decode(text).unwrap(), [0xfb, 0xff], "{text}");
        }
        assert_eq!(decode("").unwrap(), b"");
        for bad in ["+/8==", "a", "+_8=", "a b!", "Zm9v=", "é"] {
            assert!(decode(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn content_beyond_the_limit_is_told_apart_from_bad_content() {
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
