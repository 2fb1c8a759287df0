//! Whether a target is this machine: nobody is load-tested by mistake.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use super::TargetError;

/// Accepts `addresses` when every one is loopback or, by `is_own`, an address of this host
/// (usually [`belongs_to_this_host`]), or when the user has said that it is permitted.
///
/// # Errors
/// [`TargetError::NotPermitted`] with the first stranger's address.
pub fn permit(
    addresses: &[SocketAddr],
    is_own: impl Fn(IpAddr) -> bool,
    i_have_permission: bool,
) -> Result<(), TargetError> {
    let stranger = addresses
        .iter()
        .map(|address| address.ip().to_canonical())
        .find(|ip| !ip.is_loopback() && (is_shared(*ip) || !is_own(*ip)));
    match stranger {
        Some(address) if !i_have_permission => Err(TargetError::NotPermitted { address }),
        _ => Ok(()),
    }
}

/// True when a UDP socket can be bound to the address, which only an address of this host
/// allows. Binding sends no packet.
pub fn belongs_to_this_host(ip: IpAddr) -> bool {
    // With `net.ipv4.ip_nonlocal_bind` set, as on some load balancers, any address can be bound;
    // then an address reserved for documentation can be as well, and binding proves nothing.
    let nobodys: IpAddr = match ip {
        IpAddr::V4(_) => Ipv4Addr::new(192, 0, 2, 1).into(),
        IpAddr::V6(_) => Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into(),
    };
    can_bind(ip) && !can_bind(nobodys)
}

fn can_bind(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

/// Addresses that a socket can be bound to although they stand for others too.
fn is_shared(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_multicast() || ip.is_broadcast(),
        IpAddr::V6(ip) => ip.is_multicast(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(addresses: &[&str], own: &[&str], permission: bool) -> Result<(), TargetError> {
        let addresses: Vec<SocketAddr> =
            addresses.iter().map(|ip| SocketAddr::new(ip.parse().unwrap(), 80)).collect();
        permit(&addresses, |ip| own.contains(&ip.to_string().as_str()), permission)
    }

    #[test]
    fn loopback_is_always_allowed() {
        for ip in ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(verdict(&[ip], &[], false), Ok(()), "{ip}");
        }
    }

    #[test]
    fn an_own_address_is_allowed_and_a_strangers_is_not() {
        assert_eq!(verdict(&["192.0.2.5"], &["192.0.2.5"], false), Ok(()));
        assert_eq!(verdict(&["::ffff:192.0.2.5"], &["192.0.2.5"], false), Ok(()));
        for ip in ["192.0.2.6", "10.0.0.1", "2001:db8::7", "::ffff:192.0.2.6"] {
            assert!(verdict(&[ip], &["192.0.2.5"], false).is_err(), "{ip}");
        }
    }

    #[test]
    fn every_address_of_a_name_must_pass() {
        let error = verdict(&["127.0.0.1", "192.0.2.6"], &[], false).unwrap_err();
        assert_eq!(error, TargetError::NotPermitted { address: [192, 0, 2, 6].into() });
        let message = error.to_string();
        assert!(message.contains("192.0.2.6") && message.contains("--i-have-permission"));
    }

    #[test]
    fn permission_opens_any_address() {
        assert_eq!(verdict(&["192.0.2.6", "2001:db8::7"], &[], true), Ok(()));
    }

    #[test]
    fn shared_addresses_are_nobodys_own() {
        for ip in ["224.0.0.1", "255.255.255.255", "ff02::1"] {
            assert!(verdict(&[ip], &[ip], false).is_err(), "{ip}");
        }
    }

    #[test]
    fn binding_tells_a_documentation_address_from_an_own_one() {
        assert!(!belongs_to_this_host([192, 0, 2, 1].into()));
        assert!(belongs_to_this_host([127, 0, 0, 1].into()) || can_bind([192, 0, 2, 1].into()));
    }
}
