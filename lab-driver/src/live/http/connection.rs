//! One kept-alive connection, and how it is made.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::{Fault, Interest, Response, ResponseParser, Retry, TransportError};

/// Most bytes taken in by one read.
const READ_SIZE: usize = 64 * 1024;

/// All connections of one thread read into the same buffer: no bytes rest in it between reads,
/// so that ten thousand connections cost no ten thousand buffers.
type ReadBuffer = Rc<RefCell<Box<[u8]>>>;

/// Makes one thread's connections to one target.
#[derive(Debug)]
pub struct Connector {
    addresses: Box<[SocketAddr]>,
    /// Index of the address that the last connect succeeded with.
    answering: Cell<usize>,
    buffer: ReadBuffer,
}

impl Connector {
    /// A connector to a target with these addresses, at least one; they are tried in this order.
    pub fn new(addresses: &[SocketAddr]) -> Self {
        assert!(!addresses.is_empty(), "a resolved target has an address");
        Self {
            addresses: addresses.into(),
            answering: Cell::new(0),
            buffer: Rc::new(RefCell::new(vec![0; READ_SIZE].into())),
        }
    }

    /// Opens a connection to the first address that accepts one, beginning with the one that did
    /// so last time.
    ///
    /// # Errors
    /// The fault at the first address tried, when all failed.
    pub async fn connect(&self) -> Result<Connection, TransportError> {
        let first = self.answering.get();
        let mut fault = None;
        for index in (first..self.addresses.len()).chain(0..first) {
            match open(self.addresses[index]).await {
                Ok(stream) => {
                    self.answering.set(index);
                    let buffer = Rc::clone(&self.buffer);
                    return Ok(Connection { stream, buffer, used: false, usable: true });
                }
                Err(error) => fault = fault.or(Some(Fault::from(error))),
            }
        }
        let fault = fault.expect("there is at least one address");
        Err(TransportError { fault, retry: Retry::Never })
    }
}

async fn open(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    // Where nothing listens on an ephemeral port, the system may pick that very port as the local
    // one, and the socket is connected to itself.
    if stream.local_addr()? == address {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// One connection; carries one exchange at a time.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    buffer: ReadBuffer,
    /// A response has been received.
    used: bool,
    /// The next bytes on the wire will belong to the next request.
    usable: bool,
}

impl Connection {
    /// Whether another exchange is possible: the last one is complete and its response reusable.
    pub fn is_usable(&self) -> bool {
        self.usable
    }

    /// Sends `request`, complete bytes of one HTTP/1.1 request, and waits for the last byte of
    /// its response. There is no time limit inside: to give up, drop the future and then the
    /// connection, which is not usable any more.
    ///
    /// # Errors
    /// When no complete response arrives; the connection is then not usable.
    ///
    /// # Panics
    /// When the connection is not usable: the response would be that of another request.
    pub async fn exchange(
        &mut self,
        request: &[u8],
        interest: Interest<'_>,
    ) -> Result<Response, TransportError> {
        assert!(self.usable, "an exchange on a connection that is not usable");
        self.usable = false;
        if self.used && !self.is_quiet() {
            return Err(TransportError { fault: Fault::ClosedEarly, retry: Retry::Always });
        }
        let mut exchange = Exchange {
            unsent: request,
            send_fault: None,
            parser: Some(ResponseParser::new(interest)),
            answered: false,
        };
        let outcome =
            poll_fn(|context| exchange.poll(&mut self.stream, &self.buffer, context)).await;
        let response = outcome.map_err(|fault| {
            let stale = self.used
                && !exchange.answered
                && matches!(fault, Fault::Reset | Fault::ClosedEarly);
            TransportError { fault, retry: if stale { Retry::IfIdempotent } else { Retry::Never } }
        })?;
        self.used = true;
        self.usable = response.reusable;
        Ok(response)
    }

    /// Whether nothing has arrived since the last response. Costs no system call as long as the
    /// reactor has seen no event.
    fn is_quiet(&self) -> bool {
        let arrived = self.stream.try_read(&mut [0]);
        matches!(arrived, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

/// An exchange under way. It reads while it still writes, since a target may answer, or refuse,
/// a long request before it has read all of it.
struct Exchange<'a> {
    unsent: &'a [u8],
    send_fault: Option<Fault>,
    /// `None` after the end.
    parser: Option<ResponseParser<'a>>,
    /// A byte of the response has arrived.
    answered: bool,
}

impl Exchange<'_> {
    fn poll(
        &mut self,
        stream: &mut TcpStream,
        buffer: &ReadBuffer,
        context: &mut Context<'_>,
    ) -> Poll<Result<Response, Fault>> {
        let mut buffer = buffer.borrow_mut();
        loop {
            self.poll_send(stream, context);
            let mut arrived = ReadBuf::new(&mut buffer);
            let read = ready!(Pin::new(&mut *stream).poll_read(context, &mut arrived));
            if let Some(outcome) = self.take(read.map(|()| arrived.filled())).transpose() {
                return Poll::Ready(outcome);
            }
        }
    }

    /// Sends what the socket takes. A failure is kept: the response may be there all the same.
    fn poll_send(&mut self, stream: &mut TcpStream, context: &mut Context<'_>) {
        while !self.unsent.is_empty() && self.send_fault.is_none() {
            match Pin::new(&mut *stream).poll_write(context, self.unsent) {
                Poll::Ready(Ok(sent)) => self.unsent = &self.unsent[sent..],
                Poll::Ready(Err(error)) => self.send_fault = Some(error.into()),
                Poll::Pending => return,
            }
        }
    }

    fn take(&mut self, read: io::Result<&[u8]>) -> Result<Option<Response>, Fault> {
        let parser = self.parser.as_mut().expect("not polled after the end");
        let response = match read {
            Ok([]) => {
                let end = self.parser.take().expect("taken just above").finish();
                Some(end.map_err(|fault| match self.send_fault {
                    Some(earlier) if !self.answered => earlier,
                    _ => fault,
                })?)
            }
            Ok(bytes) => {
                self.answered = true;
                parser.push(bytes)?
            }
            Err(error) => return Err(self.send_fault.unwrap_or_else(|| error.into())),
        };
        Ok(response.map(|mut response| {
            response.reusable &= self.unsent.is_empty();
            response
        }))
    }
}
