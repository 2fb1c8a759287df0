//! Where the load goes: a base URL, its addresses, and whether this host may load them.

mod permission;
mod url;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

pub use permission::{belongs_to_this_host, permit};
pub use url::Url;

/// A URL that cannot be a target, or may not be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// Not a URL of the form that the driver speaks.
    #[error("`{url}` is not a target: {reason}; write it as http://host:port")]
    Url {
        /// The text given.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// TLS is not built in.
    #[error(
        "`{url}`: https is not supported in this build; use http, or a plain port of the target"
    )]
    Https {
        /// The text given.
        url: String,
    },
    /// The name has no address.
    #[error("cannot resolve `{host}` ({reason}): check the name, or give an IP address")]
    Dns {
        /// The name asked for.
        host: String,
        /// What the resolver said.
        reason: String,
    },
    /// A stranger's address, and nobody said that this is permitted.
    #[error(
        "{address} is not this machine: only load-test what you own or have written permission \
         to test; if you have, repeat the command with --i-have-permission"
    )]
    NotPermitted {
        /// The first address that is not this host's.
        address: IpAddr,
    },
}

/// All addresses of the URL's host, in the order to try them. `localhost` (RFC 6761) and literal
/// addresses never reach `resolver`; 0.0.0.0 and `::`, which servers print as where they listen,
/// become the loopback address that a client reaches them at. Resolve once per run: what has been
/// permitted is then exactly what is loaded.
///
/// # Errors
/// [`TargetError::Dns`] when the resolver fails or knows no address.
pub fn resolve(
    url: &Url,
    resolver: impl FnOnce(&str, u16) -> io::Result<Vec<SocketAddr>>,
) -> Result<Vec<SocketAddr>, TargetError> {
    let (host, port) = (url.host(), url.port());
    let addresses = if let Ok(ip) = host.parse::<IpAddr>() {
        vec![SocketAddr::new(ip, port)]
    } else if host == "localhost" || host.ends_with(".localhost") {
        vec![(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()]
    } else {
        let failed = |reason: String| TargetError::Dns { host: host.to_owned(), reason };
        let found = resolver(host, port).map_err(|error| failed(error.to_string()))?;
        if found.is_empty() {
            return Err(failed("the name has no address".to_owned()));
        }
        found
    };
    let mut unique = Vec::with_capacity(addresses.len());
    for address in addresses {
        let reached = SocketAddr::new(reached(address.ip()), address.port());
        if !unique.contains(&reached) {
            unique.push(reached);
        }
    }
    Ok(unique)
}

/// The system's resolver, for [`resolve`]; it blocks.
///
/// # Errors
/// As the system reports them.
pub fn system_resolver(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    Ok((host, port).to_socket_addrs()?.collect())
}

/// The address that a connection to `ip` really reaches.
fn reached(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never(_: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        panic!("the resolver must not be asked")
    }

    fn addresses(text: &str) -> Vec<String> {
        let found = resolve(&Url::parse(text).unwrap(), never).unwrap();
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn literals_and_localhost_need_no_resolver() {
        assert_eq!(addresses("http://127.0.0.1:8000"), ["127.0.0.1:8000"]);
        assert_eq!(addresses("http://[::1]:8000"), ["[::1]:8000"]);
        assert_eq!(addresses("http://LocalHost:81"), ["127.0.0.1:81", "[::1]:81"]);
        assert_eq!(addresses("http://api.localhost"), ["127.0.0.1:80", "[::1]:80"]);
    }

    #[test]
    fn listening_addresses_become_reachable_ones() {
        assert_eq!(addresses("http://0.0.0.0:8000"), ["127.0.0.1:8000"]);
        assert_eq!(addresses("http://[::]:8000"), ["[::1]:8000"]);
        assert_eq!(addresses("http://[::ffff:192.0.2.7]:8000"), ["192.0.2.7:8000"]);
    }

    #[test]
    fn a_name_gives_all_its_addresses_once() {
        let url = Url::parse("http://shop.test:8080/base").unwrap();
        let found = resolve(&url, |host, port| {
            assert_eq!((host, port), ("shop.test", 8080));
            Ok(vec![([192, 0, 2, 1], port).into(), ([192, 0, 2, 1], port).into()])
        });
        assert_eq!(found, Ok(vec![([192, 0, 2, 1], 8080).into()]));
    }

    #[test]
    fn a_name_without_address_is_an_error_that_names_it() {
        let url = Url::parse("http://nowhere.test").unwrap();
        let none = resolve(&url, |_, _| Ok(vec![])).unwrap_err();
        assert!(none.to_string().contains("`nowhere.test`"), "{none}");
        let failed = resolve(&url, |_, _| Err(io::Error::other("no such host"))).unwrap_err();
        assert!(failed.to_string().contains("no such host"), "{failed}");
    }
}
