//! Elements of XML files of a workbook, one after the other.

use quick_xml::Reader;
use quick_xml::events::{BytesEnd, BytesStart, Event};

use super::archive::Unpacked;
use crate::read::entities;
use crate::read::limits::MAX_DEPTH;
use crate::read::problem::{Kind, Problem, first_line};

/// A step through a file.
pub(crate) enum Node<'a> {
    /// An element begins.
    Open(Element<'a>),
    Text(String),
    Close(ElementEnd<'a>),
    /// A comment or another part without content.
    Other,
    /// The file ends.
    End,
}

/// The beginning of an element.
pub(crate) struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// Returns the name without a prefix.
    pub(crate) fn name(&self) -> &[u8] {
        self.0.local_name().into_inner()
    }

    /// Returns an attribute by its name without a prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        let found = attributes
            .with_checks(false)
            .flatten()
            .find(|attribute| attribute.key.local_name().as_ref() == name.as_bytes())?;
        Some(entities::decode(&String::from_utf8_lossy(&found.value)))
    }

    /// Returns an attribute that is a number.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.attribute(name)?.trim().parse().ok()
    }

    /// Returns an attribute that is a truth value.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        matches!(self.attribute(name).as_deref(), Some("1" | "true"))
    }
}

pub(crate) struct ElementEnd<'a>(BytesEnd<'a>);

impl ElementEnd<'_> {
    /// Returns the name without a prefix.
    pub(crate) fn name(&self) -> &[u8] {
        self.0.local_name().into_inner()
    }
}

/// Reads the elements of a file.
pub(crate) struct Nodes<'a> {
    reader: Reader<Unpacked<'a>>,
    buffer: Vec<u8>,
    depth: usize,
}

impl<'a> Nodes<'a> {
    pub(crate) fn new(file: Unpacked<'a>) -> Self {
        let mut reader = Reader::from_reader(file);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self { reader, buffer: Vec::new(), depth: 0 }
    }

    /// Reads the next node. References to entities of a document type are not resolved.
    ///
    /// # Errors
    /// [`Kind::InvalidXml`], [`Kind::DocumentType`], [`Kind::TooDeep`],
    /// [`Kind::UnpackedTooLarge`] and [`Kind::InvalidWorkbook`].
    pub(crate) fn step(&mut self) -> Result<Node<'_>, Problem> {
        self.buffer.clear();
        self.reader.get_mut().begin_part();
        let event = match self.reader.read_event_into(&mut self.buffer) {
            Ok(event) => event,
            Err(error) => {
                let known = self.reader.get_ref().problem(&error);
                let kind = Kind::InvalidXml(first_line(&error));
                return Err(known.unwrap_or_else(|| Problem::of_file(kind)));
            }
        };
        Ok(match event {
            Event::Start(start) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(Problem::of_file(Kind::TooDeep));
                }
                Node::Open(Element(start))
            }
            Event::End(end) => {
                self.depth = self.depth.saturating_sub(1);
                Node::Close(ElementEnd(end))
            }
            Event::Text(text) => Node::Text(String::from_utf8_lossy(&text).into_owned()),
            Event::CData(text) => Node::Text(String::from_utf8_lossy(&text).into_owned()),
            Event::GeneralRef(reference) => {
                let name = String::from_utf8_lossy(&reference).into_owned();
                let known = entities::resolve(&name);
                Node::Text(known.map_or_else(|| format!("&{name};"), String::from))
            }
            Event::DocType(_) => return Err(Problem::of_file(Kind::DocumentType)),
            Event::Eof if self.depth > 0 => {
                let kind = Kind::InvalidXml("the file ends within an element".to_owned());
                return Err(Problem::of_file(kind));
            }
            Event::Eof => Node::End,
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => Node::Other,
        })
    }
}
