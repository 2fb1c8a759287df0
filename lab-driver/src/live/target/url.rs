//! The part of URLs that the driver speaks: `http://host[:port][/path][?query]`.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::TargetError;

/// A checked target URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    host: String,
    port: u16,
    path_and_query: String,
}

impl Url {
    /// Reads `http://host:port/path?query`. The scheme is required, the port is 80 when absent, a
    /// fragment is left out, as a browser does.
    ///
    /// # Errors
    /// [`TargetError::Https`] for https, [`TargetError::Url`] with the reason for anything else.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        let wrong = |reason| TargetError::Url { url: text.to_owned(), reason };
        let (scheme, rest) =
            text.trim().split_once("://").ok_or_else(|| wrong("the scheme is missing"))?;
        if scheme.eq_ignore_ascii_case("https") {
            return Err(TargetError::Https { url: text.to_owned() });
        }
        if !scheme.eq_ignore_ascii_case("http") {
            return Err(wrong("the scheme is not http"));
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, tail) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (host, port) = split_authority(authority).map_err(wrong)?;
        if !tail.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(wrong("the path must be percent-encoded ASCII without blanks"));
        }
        let slash = if tail.starts_with('/') { "" } else { "/" };
        Ok(Self { host, port, path_and_query: format!("{slash}{tail}") })
    }

    /// The host name in lower case, or the address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, 1 to 65535.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The path with its query; begins with a slash.
    pub fn path_and_query(&self) -> &str {
        &self.path_and_query
    }

    /// The path as a prefix of other paths: without query and closing slash, so `""` for a host
    /// alone.
    pub fn base_path(&self) -> &str {
        let path = self.path_and_query.split('?').next().unwrap_or_default();
        path.trim_end_matches('/')
    }

    /// The value of the `Host` header: the port appears unless it is 80.
    pub fn authority(&self) -> String {
        let (open, close) = if self.host.contains(':') { ("[", "]") } else { ("", "") };
        let host = &self.host;
        match self.port {
            80 => format!("{open}{host}{close}"),
            port => format!("{open}{host}{close}:{port}"),
        }
    }
}

fn split_authority(authority: &str) -> Result<(String, u16), &'static str> {
    if authority.contains('@') {
        return Err("user names and passwords in URLs are refused, they end up in logs");
    }
    let (host, port) = if let Some(bracketed) = authority.strip_prefix('[') {
        let (host, rest) = bracketed.split_once(']').ok_or("the bracket is not closed")?;
        host.parse::<Ipv6Addr>().map_err(|_| "the address in brackets is not IPv6")?;
        match rest.strip_prefix(':') {
            None if !rest.is_empty() => return Err("only a port may follow the bracket"),
            port => (host, port),
        }
    } else {
        match authority.split_once(':') {
            Some((_, port)) if port.contains(':') => return Err("IPv6 addresses need brackets"),
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        }
    };
    check_name(host)?;
    let port = match port {
        None | Some("") => 80,
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            port.parse().ok().filter(|&port| port != 0).ok_or("the port is not in 1 to 65535")?
        }
        Some(_) => return Err("the port is not a number"),
    };
    Ok((host.to_ascii_lowercase(), port))
}

fn check_name(host: &str) -> Result<(), &'static str> {
    if host.is_empty() {
        return Err("the host is missing");
    }
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if !host.bytes().all(is_name) && host.parse::<Ipv6Addr>().is_err() {
        return Err("the host has a character that no host name has");
    }
    // The resolver would read 127.1 or 0300.0.2.1 in its own way.
    let last = host.rsplit('.').next().unwrap_or_default();
    let decimal = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    if (decimal || last.starts_with("0x"))
        && !host.contains(':')
        && host.parse::<Ipv4Addr>().is_err()
    {
        return Err("the address is not four numbers of 0 to 255");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_host_port_and_path() {
        let url = Url::parse("http://Shop.test:8080/api/v1/?x=1#top").unwrap();
        assert_eq!((url.host(), url.port()), ("shop.test", 8080));
        assert_eq!(url.path_and_query(), "/api/v1/?x=1");
        assert_eq!(url.base_path(), "/api/v1");
        assert_eq!(url.authority(), "shop.test:8080");
    }

    #[test]
    fn fills_in_port_and_path() {
        let url = Url::parse("HTTP://127.0.0.1").unwrap();
        assert_eq!((url.port(), url.path_and_query(), url.base_path()), (80, "/", ""));
        assert_eq!(url.authority(), "127.0.0.1");
        assert_eq!(Url::parse("http://h?q=1").unwrap().path_and_query(), "/?q=1");
        assert_eq!(Url::parse("http://h:/").unwrap().port(), 80);
    }

    #[test]
    fn reads_ipv6_literals() {
        let url = Url::parse("http://[::1]:8000/x").unwrap();
        assert_eq!((url.host(), url.port(), url.authority().as_str()), ("::1", 8000, "[::1]:8000"));
        assert_eq!(Url::parse("http://[2001:DB8::1]").unwrap().authority(), "[2001:db8::1]");
    }

    #[test]
    fn https_says_what_to_do() {
        let error = Url::parse("https://127.0.0.1").unwrap_err();
        assert!(error.to_string().contains("not supported in this build"), "{error}");
    }

    #[test]
    fn refuses_what_it_cannot_reach() {
        for (text, reason) in [
            ("localhost:8000", "scheme is missing"),
            ("ftp://h", "not http"),
            ("http://", "host is missing"),
            ("http://:80", "host is missing"),
            ("http://me:secret@h", "passwords"),
            ("http://h:0", "1 to 65535"),
            ("http://h:65536", "1 to 65535"),
            ("http://h:+80", "not a number"),
            ("http://::1/", "brackets"),
            ("http://[::1", "not closed"),
            ("http://[::1]x", "follow the bracket"),
            ("http://[localhost]", "not IPv6"),
            ("http://[fe80::1%25eth0]", "not IPv6"),
            ("http://127.1", "four numbers"),
            ("http://0x7f000001", "four numbers"),
            ("http://a b", "no host name has"),
            ("http://h/a b", "percent-encoded"),
            ("http://h/\r\nX: y", "percent-encoded"),
            ("http://h/ü", "percent-encoded"),
        ] {
            let error = Url::parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
