//! What can go wrong between a request and its response, told apart for an error table.

use std::io;

use rustix::io::Errno;

/// A failed connect or exchange. The connection it happened on must be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct TransportError {
    /// What went wrong.
    pub fault: Fault,
    /// Whether the same request may be sent again on a fresh connection.
    pub retry: Retry,
}

/// Whether a request that failed may be sent again without the risk of doing it twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// No: the failure is the target's answer to this request.
    Never,
    /// A kept-alive connection was closed before any byte of the response: most likely the
    /// target closed it while it was idle. Repeat idempotent requests only.
    IfIdempotent,
    /// The idle connection was found closed before anything was sent.
    Always,
}

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Nothing listens at the address.
    #[error("connection refused: is the target running, and on this port?")]
    Refused,
    /// The target tore the connection down (RST, broken pipe).
    #[error("connection reset by the target")]
    Reset,
    /// The target closed the connection before the response was complete.
    #[error("the target closed the connection before the response was complete")]
    ClosedEarly,
    /// The system gave up connecting: no answer to its SYN packets.
    #[error(
        "no answer to the connect: is the target's accept queue full, or a firewall in between?"
    )]
    ConnectTimeout,
    /// No ephemeral port is left for another connection to this address.
    #[error(
        "no local port is left: use fewer connections, keep them alive, \
         or widen net.ipv4.ip_local_port_range"
    )]
    NoPorts,
    /// This process or this system is out of file descriptors.
    #[error("out of file descriptors: raise `ulimit -n` or lower the number of users")]
    NoFds,
    /// There is no route to the address.
    #[error("no route to the target: check the address")]
    Unreachable,
    /// What arrived is not one HTTP/1.1 response.
    #[error("bad response: {0}")]
    BadResponse(BadResponse),
    /// Any other system error.
    #[error("system error: {}", io::Error::from_raw_os_error(*.0))]
    Os(i32),
}

/// Why the bytes that arrived are no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadResponse {
    /// The status line or a header is malformed.
    #[error("the status line or a header is malformed; does the port speak HTTP?")]
    Head,
    /// The header block is longer than [`MAX_HEAD`](super::MAX_HEAD).
    #[error("the header block is longer than 64 KiB")]
    HeadTooLong,
    /// More header lines than a server has any use for.
    #[error("more than 1,024 header lines")]
    TooManyHeaders,
    /// `Content-Length` is no number, or there are two different ones.
    #[error("Content-Length is not a number, or given twice and different")]
    ContentLength,
    /// The chunked coding is malformed.
    #[error("the chunked coding is malformed")]
    Chunk,
    /// The target changed the protocol, which nobody asked for.
    #[error("101 Switching Protocols, which was not asked for")]
    Switching,
    /// The body is longer than the caller is ready to keep.
    #[error("the body is longer than expected")]
    BodyTooLong,
}

impl TransportError {
    /// Short name for an error table, such as `refused` or `bad response`.
    pub fn kind(&self) -> &'static str {
        self.fault.kind()
    }
}

impl Fault {
    /// Short name for an error table, such as `refused` or `bad response`.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Reset => "reset",
            Self::ClosedEarly => "closed early",
            Self::ConnectTimeout => "connect timeout",
            Self::NoPorts => "no local ports",
            Self::NoFds => "no file descriptors",
            Self::Unreachable => "unreachable",
            Self::BadResponse(_) => "bad response",
            Self::Os(_) => "system error",
        }
    }

    /// True when this machine, not the target, is at fault: a run with such failures says nothing
    /// about the target.
    pub fn is_own(self) -> bool {
        matches!(self, Self::NoPorts | Self::NoFds)
    }
}

impl From<BadResponse> for Fault {
    fn from(reason: BadResponse) -> Self {
        Self::BadResponse(reason)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(Errno::CONNREFUSED) => Self::Refused,
            Some(Errno::CONNRESET | Errno::CONNABORTED | Errno::PIPE | Errno::NOTCONN) => {
                Self::Reset
            }
            Some(Errno::TIMEDOUT) => Self::ConnectTimeout,
            Some(Errno::ADDRNOTAVAIL) => Self::NoPorts,
            Some(Errno::MFILE | Errno::NFILE) => Self::NoFds,
            Some(Errno::HOSTUNREACH | Errno::NETUNREACH) => Self::Unreachable,
            Some(other) => Self::Os(other.raw_os_error()),
            None if error.kind() == io::ErrorKind::ConnectionRefused => Self::Refused,
            // The runtime's own errors, such as its shutdown, carry no number.
            None => Self::Reset,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_are_told_apart() {
        for (errno, kind) in [
            (Errno::CONNREFUSED, "refused"),
            (Errno::PIPE, "reset"),
            (Errno::CONNRESET, "reset"),
            (Errno::TIMEDOUT, "connect timeout"),
            (Errno::ADDRNOTAVAIL, "no local ports"),
            (Errno::MFILE, "no file descriptors"),
            (Errno::NFILE, "no file descriptors"),
            (Errno::NETUNREACH, "unreachable"),
            (Errno::ACCESS, "system error"),
        ] {
            let fault = Fault::from(io::Error::from(errno));
            assert_eq!(fault.kind(), kind);
            assert_eq!(fault.is_own(), kind.starts_with("no "), "{kind}");
        }
    }

    #[test]
    fn messages_say_what_to_do() {
        assert!(Fault::Refused.to_string().contains("is the target running"));
        assert!(Fault::NoFds.to_string().contains("ulimit -n"));
        assert!(Fault::Os(13).to_string().contains("ermission"));
    }
}
