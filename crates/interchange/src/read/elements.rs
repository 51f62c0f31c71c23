//! Elements of XML by their local names, with bounds and without entities of a document type.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::read::entities;
use crate::read::limits::{MAX_DEPTH, MAX_FIELD_BYTES};
use crate::read::problem::{Kind, Position, Problem, first_line};
use crate::read::text::Places;

/// A step through a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// An element begins; its name is the last of the path.
    Open,
    /// An element ends, with the text and the attribute `Ccy` that it had.
    Close { text: String, currency: Option<String> },
    /// The file ends.
    End,
}

/// Reads elements one after the other.
pub(crate) struct Elements<'a> {
    reader: Reader<&'a [u8]>,
    places: Places<'a>,
    names: &'static [&'static str],
    /// The names of the open elements; those that are not asked for are empty.
    pub(crate) path: Vec<&'static str>,
    /// The currency and the text of the innermost element.
    currency: Option<String>,
    text: String,
    /// Where the element begins that was opened last.
    pub(crate) position: Position,
    is_leaving: bool,
}

impl<'a> Elements<'a> {
    pub(crate) fn new(text: &'a str, names: &'static [&'static str]) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self {
            reader,
            places: Places::new(text),
            names,
            path: Vec::new(),
            currency: None,
            text: String::new(),
            position: Position::START,
            is_leaving: false,
        }
    }

    /// Reads up to the next beginning or end of an element. At an end, the path still has its name.
    pub(crate) fn step(&mut self) -> Result<Step, Problem> {
        if self.is_leaving {
            self.path.pop();
            self.is_leaving = false;
        }
        loop {
            let begin = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
            let event = self.reader.read_event().map_err(|error| {
                let kind = Kind::InvalidXml(first_line(&error));
                let at = usize::try_from(self.reader.error_position()).unwrap_or(begin);
                Problem::at(self.places.advance(at), kind)
            })?;
            match event {
                Event::Start(start) => {
                    self.position = self.places.advance(begin);
                    if self.path.len() >= MAX_DEPTH {
                        return Err(Problem::at(self.position, Kind::TooDeep));
                    }
                    let name = start.local_name();
                    let known = self.names.iter().find(|known| known.as_bytes() == name.as_ref());
                    self.path.push(known.copied().unwrap_or_default());
                    self.text.clear();
                    self.currency = currency(&start);
                    return Ok(Step::Open);
                }
                Event::End(_) => {
                    self.is_leaving = true;
                    let currency = self.currency.take();
                    return Ok(Step::Close { text: std::mem::take(&mut self.text), currency });
                }
                Event::Text(text) => {
                    let text = text.decode().unwrap_or_default().into_owned();
                    self.push(&text, begin)?;
                }
                Event::CData(data) => {
                    let data = data.decode().unwrap_or_default().into_owned();
                    self.push(&data, begin)?;
                }
                Event::GeneralRef(reference) => {
                    let text = resolve(&reference);
                    self.push(&text, begin)?;
                }
                Event::DocType(_) => {
                    return Err(Problem::at(self.places.advance(begin), Kind::DocumentType));
                }
                Event::Eof if self.path.is_empty() => return Ok(Step::End),
                Event::Eof => {
                    let kind = Kind::InvalidXml("the file ends within an element".to_owned());
                    return Err(Problem::at(self.places.advance(begin), kind));
                }
                Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            }
        }
    }

    fn push(&mut self, text: &str, begin: usize) -> Result<(), Problem> {
        // White space between elements is not collected.
        if self.text.is_empty() && text.trim().is_empty() {
            return Ok(());
        }
        self.text.push_str(text);
        if self.text.len() > MAX_FIELD_BYTES {
            let kind = Kind::FieldTooLong(MAX_FIELD_BYTES);
            return Err(Problem::at(self.places.advance(begin), kind));
        }
        Ok(())
    }
}

fn currency(start: &BytesStart<'_>) -> Option<String> {
    let attribute = start.try_get_attribute("Ccy").ok().flatten()?;
    std::str::from_utf8(&attribute.value).ok().map(str::to_owned)
}

/// Returns the character of a reference; one to an entity that XML does not define stays.
fn resolve(reference: &BytesRef<'_>) -> String {
    let name = reference.decode().unwrap_or_default();
    entities::resolve(&name).map_or_else(|| format!("&{name};"), String::from)
}
