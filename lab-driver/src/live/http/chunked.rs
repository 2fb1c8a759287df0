//! Streaming decoder of the chunked transfer coding (RFC 9112, section 7.1).

use super::BadResponse;

/// Most bytes of chunk extensions in one line, and of trailers: they are skipped, so this only
/// ends a stream that would never come to its point.
const MAX_SKIPPED: usize = 64 * 1024;

/// Where in the coding the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chunked {
    /// In a chunk's size.
    Size { value: u64, digits: u8 },
    /// Between the size and the end of its line.
    Extension { size: u64, skipped: usize },
    /// At the line feed that ends a size line.
    SizeEnd { size: u64 },
    /// In a chunk's data.
    Data { left: u64 },
    /// At the line end after a chunk's data.
    DataEnd { carriage: bool },
    /// At the start of a line after the last chunk.
    TrailerStart { skipped: usize },
    /// In a trailer line.
    Trailer { skipped: usize },
    /// At the line feed that ends the body.
    LastEnd,
    /// Past the body.
    Done,
}

impl Chunked {
    /// The state before the first chunk.
    pub(super) const START: Self = Self::Size { value: 0, digits: 0 };

    /// Whether the body has ended.
    pub(super) fn is_done(self) -> bool {
        self == Self::Done
    }

    /// Consumes `input` up to and including the next piece of data and returns that piece.
    /// `None` when the input is used up or the body has ended.
    pub(super) fn next<'a>(
        &mut self,
        input: &mut &'a [u8],
    ) -> Result<Option<&'a [u8]>, BadResponse> {
        while *self != Self::Done {
            if let Self::Data { left } = self {
                let length = usize::try_from(*left).unwrap_or(usize::MAX).min(input.len());
                if length == 0 {
                    return Ok(None);
                }
                let (data, rest) = input.split_at(length);
                *input = rest;
                *left -= length as u64;
                if *left == 0 {
                    *self = Self::DataEnd { carriage: true };
                }
                return Ok(Some(data));
            }
            let Some((&byte, rest)) = input.split_first() else { return Ok(None) };
            *input = rest;
            *self = self.step(byte).ok_or(BadResponse::Chunk)?;
        }
        Ok(None)
    }

    /// The state after a byte that is not data; `None` when the byte is wrong.
    fn step(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Size { value, digits }, _) => return size_step(value, digits, byte),
            (Self::Extension { size, .. }, b'\r') => Self::SizeEnd { size },
            (Self::Extension { size, skipped }, byte) if byte != b'\n' && skipped < MAX_SKIPPED => {
                Self::Extension { size, skipped: skipped + 1 }
            }
            (Self::SizeEnd { size: 0 }, b'\n') => Self::TrailerStart { skipped: 0 },
            (Self::SizeEnd { size }, b'\n') => Self::Data { left: size },
            (Self::DataEnd { carriage: true }, b'\r') => Self::DataEnd { carriage: false },
            (Self::DataEnd { carriage: false }, b'\n') => Self::START,
            (Self::TrailerStart { .. }, b'\r') => Self::LastEnd,
            (Self::Trailer { skipped }, b'\n') => Self::TrailerStart { skipped },
            (Self::TrailerStart { skipped } | Self::Trailer { skipped }, byte)
                if byte != b'\n' && skipped < MAX_SKIPPED =>
            {
                Self::Trailer { skipped: skipped + 1 }
            }
            (Self::LastEnd, b'\n') => Self::Done,
            _ => return None,
        })
    }
}

fn size_step(value: u64, digits: u8, byte: u8) -> Option<Chunked> {
    match byte {
        b'\r' if digits > 0 => Some(Chunked::SizeEnd { size: value }),
        // Some servers pad the size with blanks.
        b';' | b' ' | b'\t' if digits > 0 => Some(Chunked::Extension { size: value, skipped: 0 }),
        // Sixteen digits fill 64 bits.
        _ if digits < 16 => {
            let digit = char::from(byte).to_digit(16)?;
            Some(Chunked::Size { value: value << 4 | u64::from(digit), digits: digits + 1 })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The decoded body, whether it ended, and what was left over.
    fn decode(mut input: &[u8]) -> Result<(String, bool, usize), BadResponse> {
        let mut state = Chunked::START;
        let mut body = Vec::new();
        while let Some(data) = state.next(&mut input)? {
            body.extend_from_slice(data);
        }
        Ok((String::from_utf8(body).unwrap(), state == Chunked::Done, input.len()))
    }

    #[test]
    fn decodes_chunks_extensions_and_trailers() {
        let input = b"5;name=\"v\"\r\nhello\r\n1 \r\n \r\n0A\r\nmy world!!\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\nnext";
        assert_eq!(decode(input), Ok(("hello my world!!".into(), true, 4)));
    }

    #[test]
    fn an_unfinished_body_is_not_done() {
        assert_eq!(decode(b"5\r\nhel"), Ok(("hel".into(), false, 0)));
        assert_eq!(decode(b"0\r\n"), Ok((String::new(), false, 0)));
    }

    #[test]
    fn refuses_malformed_sizes_and_ends() {
        for input in [
            &b"\r\n"[..],
            b"x\r\n",
            b"-1\r\n",
            b"5\nhello",
            b"5\r\nhelloX",
            b"5\r\nhello\rX",
            b"10000000000000000\r\n",
            b"0\r\n\n",
        ] {
            assert_eq!(decode(input), Err(BadResponse::Chunk), "{input:?}");
        }
    }

    #[test]
    fn endless_extensions_and_trailers_come_to_an_end() {
        let padding = "x".repeat(MAX_SKIPPED + 1);
        assert_eq!(decode(format!("1;{padding}").as_bytes()), Err(BadResponse::Chunk));
        assert_eq!(decode(format!("0\r\n{padding}").as_bytes()), Err(BadResponse::Chunk));
    }
}
