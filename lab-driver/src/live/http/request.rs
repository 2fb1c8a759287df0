//! Renders a request to the bytes on the wire.

use std::fmt::Write as _;

const USER_AGENT: &str = concat!("lab-driver/", env!("CARGO_PKG_VERSION"));

/// One request, not yet rendered.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The method, such as `GET`.
    pub method: &'a str,
    /// Path and query, percent-encoded; begins with a slash.
    pub path: &'a str,
    /// The value of `Host`, unless `headers` has one.
    pub authority: &'a str,
    /// More headers, in the order to send them.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body; `None` and an empty one differ in the `Content-Length: 0`.
    pub body: Option<&'a [u8]>,
}

/// A request that cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The method is no token.
    #[error("`{0}` is not a method: use letters, as in GET")]
    Method(String),
    /// The path has a byte that may not stand in a request line.
    #[error(
        "`{0}` is not a path: it begins with a slash and is percent-encoded ASCII \
         without blanks and without a fragment"
    )]
    Path(String),
    /// The name is no token.
    #[error("`{0}` is not a header name: use letters, digits and hyphens")]
    HeaderName(String),
    /// The value would end its line.
    #[error("the value of header `{0}` has a control character, such as a line end: remove it")]
    HeaderValue(String),
    /// A header that describes the framing, which is the driver's.
    #[error("header `{0}` is set by the driver from the body: remove it")]
    Framing(String),
}

impl Request<'_> {
    /// Appends the request to `out`, with `Host`, `User-Agent` and, where there is a body or the
    /// method expects one, `Content-Length`.
    ///
    /// # Errors
    /// When a part would not survive as what it is; `out` is then as it was.
    pub fn render(&self, out: &mut Vec<u8>) -> Result<(), RequestError> {
        self.check()?;
        let has =
            |name: &str| self.headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let mut put = |parts: &[&str]| {
            for part in parts {
                out.extend_from_slice(part.as_bytes());
            }
        };
        put(&[self.method, " ", self.path, " HTTP/1.1\r\n"]);
        if !has("host") {
            put(&["Host: ", self.authority, "\r\n"]);
        }
        if !has("user-agent") {
            put(&["User-Agent: ", USER_AGENT, "\r\n"]);
        }
        for (name, value) in self.headers {
            put(&[name, ": ", value, "\r\n"]);
        }
        let expects_body = matches!(self.method, "POST" | "PUT" | "PATCH");
        if self.body.is_some() || expects_body {
            let length = self.body.map_or(0, <[u8]>::len);
            put(&["Content-Length: ", &length.to_string(), "\r\n"]);
        }
        put(&["\r\n"]);
        out.extend_from_slice(self.body.unwrap_or_default());
        Ok(())
    }

    fn check(&self) -> Result<(), RequestError> {
        if !is_token(self.method) {
            return Err(RequestError::Method(self.method.to_owned()));
        }
        let visible = |byte: u8| byte.is_ascii_graphic() && byte != b'#';
        if !self.path.starts_with('/') || !self.path.bytes().all(visible) {
            return Err(RequestError::Path(self.path.to_owned()));
        }
        for (name, value) in [("Host", self.authority)].iter().chain(self.headers) {
            if !is_token(name) {
                return Err(RequestError::HeaderName((*name).to_owned()));
            }
            if value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
                return Err(RequestError::HeaderValue((*name).to_owned()));
            }
            let framing = ["content-length", "transfer-encoding"];
            if framing.iter().any(|framing| name.eq_ignore_ascii_case(framing)) {
                return Err(RequestError::Framing((*name).to_owned()));
            }
        }
        Ok(())
    }
}

/// Appends `value` to `out` as the value of a query parameter: every byte but the unreserved
/// ones of RFC 3986 as `%XX`.
pub fn encode_query_value(value: &str, out: &mut String) {
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(byte.into());
            }
            _ => write!(out, "%{byte:02X}").expect("writing to a string cannot fail"),
        }
    }
}

/// RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GET: Request<'_> = Request {
        method: "GET",
        path: "/search?q=a",
        authority: "127.0.0.1:8000",
        headers: &[],
        body: None,
    };

    fn rendered(request: Request<'_>) -> Result<String, RequestError> {
        let mut out = Vec::new();
        request.render(&mut out).map(|()| String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_get_has_host_and_agent_and_no_length() {
        let agent = USER_AGENT;
        assert!(agent.starts_with("lab-driver/") && agent.len() > "lab-driver/".len());
        let expected = format!(
            "GET /search?q=a HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nUser-Agent: {agent}\r\n\r\n"
        );
        assert_eq!(rendered(GET), Ok(expected));
    }

    #[test]
    fn a_body_comes_with_its_length() {
        let post = Request { method: "POST", body: Some(b"{}"), ..GET };
        assert!(rendered(post).unwrap().ends_with("Content-Length: 2\r\n\r\n{}"));
        let empty = Request { method: "POST", ..GET };
        assert!(rendered(empty).unwrap().ends_with("Content-Length: 0\r\n\r\n"));
    }

    #[test]
    fn given_headers_replace_the_defaults() {
        let headers = &[("host", "shop.test"), ("User-agent", "me"), ("X-Load-Test", "1")];
        let text = rendered(Request { headers, ..GET }).unwrap();
        assert_eq!(
            text,
            "GET /search?q=a HTTP/1.1\r\nhost: shop.test\r\nUser-agent: me\r\nX-Load-Test: 1\r\n\r\n"
        );
    }

    #[test]
    fn nothing_can_be_smuggled_in() {
        for (bad, expected) in [
            (Request { method: "GET /x", ..GET }, RequestError::Method("GET /x".into())),
            (Request { method: "", ..GET }, RequestError::Method(String::new())),
            (Request { path: "/a b", ..GET }, RequestError::Path("/a b".into())),
            (Request { path: "a", ..GET }, RequestError::Path("a".into())),
            (Request { path: "/a#b", ..GET }, RequestError::Path("/a#b".into())),
            (Request { path: "/\r\nX: y", ..GET }, RequestError::Path("/\r\nX: y".into())),
            (Request { authority: "h\r\nX: y", ..GET }, RequestError::HeaderValue("Host".into())),
            (
                Request { headers: &[("X", "1\r\nY: 2")], ..GET },
                RequestError::HeaderValue("X".into()),
            ),
            (Request { headers: &[("X Y", "1")], ..GET }, RequestError::HeaderName("X Y".into())),
            (
                Request { headers: &[("content-Length", "1")], ..GET },
                RequestError::Framing("content-Length".into()),
            ),
        ] {
            let mut out = b"before".to_vec();
            assert_eq!(bad.render(&mut out), Err(expected));
            assert_eq!(out, b"before");
        }
    }

    #[test]
    fn query_values_are_percent_encoded() {
        let mut out = String::from("q=");
        encode_query_value("a-z ü&=+%/?#\r\n", &mut out);
        assert_eq!(out, "q=a-z%20%C3%BC%26%3D%2B%25%2F%3F%23%0D%0A");
    }
}
