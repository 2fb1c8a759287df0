//! Incremental response parser: bytes in, one response out; knows no socket.

use super::head::{self, Framing, Head};
use super::{BadResponse, BodyInterest, Fault, Interest, Response};

/// Longest header block in bytes, interim responses included.
pub const MAX_HEAD: usize = 64 * 1024;

/// Parses one response. Keeps at most [`MAX_HEAD`] bytes of a head that comes in pieces, and of
/// the body only what [`BodyInterest::Keep`] allows.
#[derive(Debug)]
pub struct ResponseParser<'a> {
    interest: Interest<'a>,
    /// `None` while in the head.
    framing: Option<Framing>,
    /// The head so far, when it did not arrive in one piece.
    partial: Vec<u8>,
    /// How much longer the head may become.
    head_left: usize,
    /// How much of the needle the end of the body so far matches.
    matched: usize,
    response: Response,
}

impl<'a> ResponseParser<'a> {
    /// A parser for the response to one request.
    pub fn new(interest: Interest<'a>) -> Self {
        Self {
            interest,
            framing: None,
            partial: Vec::new(),
            head_left: MAX_HEAD,
            matched: 0,
            response: Response::default(),
        }
    }

    /// Takes in the next bytes; returns the response once it is complete, which ends the
    /// parser's use. Bytes beyond the response make the connection not reusable.
    ///
    /// # Errors
    /// When the bytes are no response.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<Option<Response>, BadResponse> {
        while self.framing.is_none() {
            match self.push_head(bytes)? {
                Some(used) => bytes = &bytes[used..],
                None => return Ok(None),
            }
        }
        self.push_body(bytes)
    }

    /// Takes in the end of the stream.
    ///
    /// # Errors
    /// [`Fault::ClosedEarly`] unless the close is what ends the body, [`Fault::BadResponse`] when
    /// the unfinished head is malformed already.
    pub fn finish(mut self) -> Result<Response, Fault> {
        match self.framing {
            Some(Framing::UntilClose) => Ok(self.complete(false)),
            None if !self.partial.is_empty() => {
                head::parse(&self.partial, &self.interest)?;
                Err(Fault::ClosedEarly)
            }
            _ => Err(Fault::ClosedEarly),
        }
    }

    /// How many bytes the parser keeps.
    pub fn kept(&self) -> usize {
        self.partial.len() + self.response.body.len()
    }

    /// How many of `bytes` complete a head; `None` when they do not.
    fn push_head(&mut self, bytes: &[u8]) -> Result<Option<usize>, BadResponse> {
        let before = self.partial.len();
        let head = if before == 0 {
            head::parse(bytes, &self.interest)?
        } else {
            self.keep(bytes);
            // Parsing only when the blank line has come keeps slow heads from costing a square.
            if ends_head(&self.partial[before.saturating_sub(3)..]) {
                head::parse(&self.partial, &self.interest)?
            } else {
                None
            }
        };
        let Some(head) = head else {
            if before == 0 {
                self.keep(bytes);
            }
            let too_long = self.partial.len() >= self.head_left;
            return if too_long { Err(BadResponse::HeadTooLong) } else { Ok(None) };
        };
        let length = head.length;
        self.head_left = self.head_left.checked_sub(length).ok_or(BadResponse::HeadTooLong)?;
        self.partial = Vec::new();
        self.accept(head)?;
        Ok(Some(length - before))
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = self.head_left - self.partial.len();
        self.partial.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// An interim response (1xx) is skipped: the parser stays in the head.
    fn accept(&mut self, head: Head) -> Result<(), BadResponse> {
        match head.status {
            101 => return Err(BadResponse::Switching),
            0..100 => return Err(BadResponse::Head),
            100..200 => return Ok(()),
            _ => {}
        }
        self.framing = Some(head.framing);
        self.response.status = head.status;
        self.response.reusable = head.reusable;
        self.response.server_timing = head.server_timing;
        self.response.lab_admin = head.lab_admin;
        Ok(())
    }

    fn push_body(&mut self, mut bytes: &[u8]) -> Result<Option<Response>, BadResponse> {
        match self.framing {
            Some(Framing::Length(left)) => {
                let length = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                let (data, beyond) = bytes.split_at(length);
                self.take_data(data)?;
                let left = left - length as u64;
                self.framing = Some(Framing::Length(left));
                Ok((left == 0).then(|| self.complete(beyond.is_empty())))
            }
            Some(Framing::Chunked(mut state)) => {
                while let Some(data) = state.next(&mut bytes)? {
                    self.take_data(data)?;
                }
                self.framing = Some(Framing::Chunked(state));
                Ok(state.is_done().then(|| self.complete(bytes.is_empty())))
            }
            Some(Framing::UntilClose) | None => self.take_data(bytes).map(|()| None),
        }
    }

    fn take_data(&mut self, data: &[u8]) -> Result<(), BadResponse> {
        self.response.body_bytes += data.len() as u64;
        match self.interest.body {
            BodyInterest::Count => {}
            BodyInterest::Contains(needle) => self.matched = needle.advance(self.matched, data),
            BodyInterest::Keep(most) if self.response.body.len() + data.len() > most => {
                return Err(BadResponse::BodyTooLong);
            }
            BodyInterest::Keep(_) => self.response.body.extend_from_slice(data),
        }
        Ok(())
    }

    /// The response; `clean` when nothing follows it.
    fn complete(&mut self, clean: bool) -> Response {
        self.response.reusable &= clean;
        if let BodyInterest::Contains(needle) = self.interest.body {
            self.response.contains = Some(needle.is_found(self.matched));
        }
        std::mem::take(&mut self.response)
    }
}

/// Whether a blank line ends within `bytes`.
fn ends_head(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\n') {
        rest = &rest[at + 1..];
        if rest.starts_with(b"\n") || rest.starts_with(b"\r\n") {
            return true;
        }
    }
    false
}
