//! Hosts and URLs: `http://host:port`, and nothing that the driver would not honour.

use super::mistake::Mistakes;
use super::said::{Said, short};

/// Reads `http://host[:port][/]` and writes it as `http://host:port`.
pub(super) fn read(said: &Said, mistakes: &mut Mistakes) -> Option<String> {
    let (host, path) = split(said, mistakes)?;
    if path.trim_end_matches('/').is_empty() {
        return Some(host);
    }
    let what = format!("the host has the path {}", short(path));
    mistakes.add(&said.place, what, format!("write {host}; paths belong to the tasks"));
    None
}

/// Reads a URL as host and path; the path begins with `/`.
pub(super) fn read_url(said: &Said, mistakes: &mut Mistakes) -> Option<(String, String)> {
    let (host, path) = split(said, mistakes)?;
    match path {
        "" => Some((host, "/".to_owned())),
        path if path.starts_with('/') => Some((host, path.to_owned())),
        query => Some((host, format!("/{query}"))),
    }
}

fn split<'a>(said: &'a Said, mistakes: &mut Mistakes) -> Option<(String, &'a str)> {
    let text = said.value.trim();
    let mut wrong = |what: &str, remedy: &str| {
        mistakes.add(&said.place, format!("\"{}\" {what}", short(text)), remedy);
    };
    let Some(rest) = text.strip_prefix("http://") else {
        if text.starts_with("https://") {
            wrong("asks for TLS, which this driver does not speak", "write http://");
        } else {
            wrong("has no scheme", "write it as http://127.0.0.1:8000");
        }
        return None;
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (host, port) = match authority.rsplit_once(':') {
        // The colons inside the brackets of an IPv6 address are its own.
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (authority, "80"),
    };
    let digits = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let port: u16 = match port.parse() {
        Ok(port) if digits && port > 0 => port,
        _ => {
            wrong("has no port from 1 to 65535", "write it as http://127.0.0.1:8000");
            return None;
        }
    };
    if !is_host(host) {
        wrong("names no host", "write a name or an address, such as http://127.0.0.1:8000");
        return None;
    }
    Some((format!("http://{host}:{port}"), path))
}

fn is_host(host: &str) -> bool {
    match host.strip_prefix('[') {
        Some(rest) => rest
            .strip_suffix(']')
            .is_some_and(|address| address.parse::<std::net::Ipv6Addr>().is_ok()),
        None => {
            (1..=253).contains(&host.len())
                && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mistake::Place;
    use super::*;

    fn said(text: &str) -> Said {
        Said::new(text.to_owned(), Place::named("--host"))
    }

    #[test]
    fn hosts_get_their_port() {
        let host = |text| read(&said(text), &mut Mistakes::default());
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(host("http://127.0.0.1:8000"), some("http://127.0.0.1:8000"));
        assert_eq!(host("http://api:8000/"), some("http://api:8000"));
        assert_eq!(host("http://localhost"), some("http://localhost:80"));
        assert_eq!(host("http://[::1]:8000"), some("http://[::1]:8000"));
        assert_eq!(host("http://[::1]"), some("http://[::1]:80"));
        for wrong in [
            "",
            "api:8000",
            "https://api",
            "http://",
            "http://:80",
            "http://a:0",
            "http://a:99999",
            "http://a:+80",
            "http://a:",
            "http://a b",
            "http://u@a",
            "http://a/items",
            "http://[::1",
        ] {
            assert_eq!(host(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn urls_keep_their_path() {
        let url = |text| read_url(&said(text), &mut Mistakes::default()).expect(text).1;
        assert_eq!(url("http://127.0.0.1:8000"), "/");
        assert_eq!(url("http://127.0.0.1:8000/items?a=1"), "/items?a=1");
        assert_eq!(url("http://127.0.0.1:8000?a=1"), "/?a=1");
    }
}
