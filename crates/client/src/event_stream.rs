//! Parsing of Server-Sent Events (the HTML standard, 9.2.6).

/// A block of a stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    /// The last `id`.
    pub(crate) id: Option<String>,
    /// The lines of `data`, joined by line feeds.
    pub(crate) data: Option<String>,
}

/// Collects bytes and returns complete blocks.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    block: Block,
}

impl Parser {
    /// Reads more bytes. Returns the blocks that they complete; comments are none.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<Block> {
        let mut blocks = Vec::new();
        for byte in bytes {
            if *byte != b'\n' {
                self.line.push(*byte);
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let line = String::from_utf8_lossy(&line);
            let line = line.strip_suffix('\r').unwrap_or(&line);
            if line.is_empty() {
                let block = std::mem::take(&mut self.block);
                blocks.extend((block != Block::default()).then_some(block));
            } else {
                self.read_line(line);
            }
        }
        blocks
    }

    fn read_line(&mut self, line: &str) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.block.id = Some(value.to_owned()),
            "data" => {
                let data = self.block.data.get_or_insert_default();
                if !data.is_empty() {
                    data.push('\n');
                }
                data.push_str(value);
            }
            // Comments, `event`, which the data repeats, and `retry`.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_across_chunks() {
        let text = "id: 7\nretry: 1000\n\n: comment\n\n\
            id: 8\r\nevent: X\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nid: 9\n";
        let block = |id: &str, data: Option<&str>| Block {
            id: Some(id.to_owned()),
            data: data.map(str::to_owned),
        };
        for size in 1..text.len() {
            let mut parser = Parser::default();
            let blocks: Vec<Block> =
                text.as_bytes().chunks(size).flat_map(|chunk| parser.push(chunk)).collect();
            assert_eq!(blocks, [block("7", None), block("8", Some("{\"a\":\n1}"))]);
        }
    }
}
