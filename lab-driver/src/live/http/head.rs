//! One response head: status, framing of the body (RFC 9112, section 6.3), fate of the connection.

use std::mem::MaybeUninit;

use super::chunked::Chunked;
use super::{BadResponse, Interest, ServerTiming};

/// Header lines parsed on the stack; more take a slower way.
const FEW_HEADERS: usize = 64;
const MAX_HEADERS: usize = 1024;

/// What a head says.
#[derive(Debug)]
pub(super) struct Head {
    /// Its length in bytes.
    pub(super) length: usize,
    pub(super) status: u16,
    pub(super) framing: Framing,
    pub(super) reusable: bool,
    pub(super) server_timing: ServerTiming,
    pub(super) lab_admin: Option<Box<str>>,
}

/// How the end of the body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// So many bytes are still to come.
    Length(u64),
    /// Chunked coding.
    Chunked(Chunked),
    /// Everything until the connection is closed.
    UntilClose,
}

/// What the header lines say, while they are walked.
#[derive(Default)]
struct Fields {
    length: Option<u64>,
    coding: Option<Coding>,
    close: bool,
    keep_alive: bool,
    server_timing: ServerTiming,
    lab_admin: Option<Box<str>>,
}

/// The last transfer coding, which decides where the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Chunked,
    Other,
}

/// Parses the head at the start of `bytes`; `None` when it is not complete.
pub(super) fn parse(bytes: &[u8], interest: &Interest<'_>) -> Result<Option<Head>, BadResponse> {
    let mut few = [const { MaybeUninit::uninit() }; FEW_HEADERS];
    match parse_into(bytes, &mut few, interest) {
        Err(BadResponse::TooManyHeaders) => {
            let mut many = vec![MaybeUninit::uninit(); MAX_HEADERS];
            parse_into(bytes, &mut many, interest)
        }
        other => other,
    }
}

fn parse_into<'b>(
    bytes: &'b [u8],
    headers: &mut [MaybeUninit<httparse::Header<'b>>],
    interest: &Interest<'_>,
) -> Result<Option<Head>, BadResponse> {
    let mut response = httparse::Response::new(&mut []);
    let length = match httparse::ParserConfig::default().parse_response_with_uninit_headers(
        &mut response,
        bytes,
        headers,
    ) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(BadResponse::TooManyHeaders),
        Err(_) => return Err(BadResponse::Head),
    };
    let (Some(status), Some(minor)) = (response.code, response.version) else {
        return Err(BadResponse::Head);
    };
    let mut fields = Fields::default();
    for header in &*response.headers {
        fields.take(header, interest)?;
    }
    let framing = fields.framing(status, interest.head);
    // A length beside a coding, or a coding in HTTP/1.0, is how responses are smuggled: read it,
    // but trust nothing that follows on the connection.
    let ambiguous = fields.coding.is_some() && (fields.length.is_some() || minor == 0);
    let reusable = framing != Framing::UntilClose
        && !fields.close
        && !ambiguous
        && (minor == 1 || fields.keep_alive);
    let Fields { server_timing, lab_admin, .. } = fields;
    Ok(Some(Head { length, status, framing, reusable, server_timing, lab_admin }))
}

impl Fields {
    fn take(
        &mut self,
        header: &httparse::Header<'_>,
        interest: &Interest<'_>,
    ) -> Result<(), BadResponse> {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        // The length alone rules out nearly every header that says nothing to us.
        match header.name.len() {
            14 if is("content-length") => self.take_length(header.value)?,
            17 if is("transfer-encoding") => {
                let last = header.value.rsplit(|&byte| byte == b',').next().unwrap_or_default();
                let chunked = last.trim_ascii().eq_ignore_ascii_case(b"chunked");
                self.coding = Some(if chunked { Coding::Chunked } else { Coding::Other });
            }
            10 if is("connection") => {
                for token in header.value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
                    self.close |= token.eq_ignore_ascii_case(b"close");
                    self.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            13 if interest.server_timing && is("server-timing") => {
                self.server_timing.read(std::str::from_utf8(header.value).unwrap_or_default());
            }
            9 if interest.lab_admin && is("lab-admin") => {
                self.lab_admin = std::str::from_utf8(header.value).ok().map(Into::into);
            }
            _ => {}
        }
        Ok(())
    }

    /// A list of equal lengths counts as one; anything else is an attack or a bug.
    fn take_length(&mut self, value: &[u8]) -> Result<(), BadResponse> {
        for number in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
            let digits = number.iter().all(u8::is_ascii_digit);
            let length = std::str::from_utf8(number).ok().filter(|_| digits);
            let length = length.and_then(|number| number.parse().ok());
            let length = length.ok_or(BadResponse::ContentLength)?;
            if self.length.is_some_and(|earlier| earlier != length) {
                return Err(BadResponse::ContentLength);
            }
            self.length = Some(length);
        }
        Ok(())
    }

    fn framing(&self, status: u16, head: bool) -> Framing {
        if head || status < 200 || status == 204 || status == 304 {
            return Framing::Length(0);
        }
        match (self.coding, self.length) {
            (Some(Coding::Chunked), _) => Framing::Chunked(Chunked::START),
            (None, Some(length)) => Framing::Length(length),
            (Some(Coding::Other), _) | (None, None) => Framing::UntilClose,
        }
    }
}
