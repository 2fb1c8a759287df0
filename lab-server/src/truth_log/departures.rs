//! When the last byte of an answer is handed to the socket: a connection and a body that notice it.
//!
//! The end of the body alone would be too early, for the bytes are only in a buffer then, and would
//! stay there while a slow client has its window shut. So the connection stamps each write just
//! before the system call, and the stamp of the write that emptied the buffer after the end of the
//! body is the departure. Before the call and not after it: the client may run, on the same core
//! even, before the call returns, and would have its answer earlier than it left.

use std::io::{Error, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};

use hyper::body::{Bytes, Frame, SizeHint};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::Entry;
use crate::clock::monotonic_ns;

/// The request that a connection is answering: one at a time, as HTTP/1.1 has it.
#[derive(Clone, Default)]
pub(crate) struct Answering(Arc<Mutex<Option<Answer>>>);

struct Answer {
    entry: Entry,
    /// The connection has taken all of the body.
    ended: bool,
    last_write: Option<u64>,
}

impl Answering {
    /// The next bytes that are written answer `entry`.
    pub(crate) fn begin(&self, entry: Entry) {
        *self.lock() = Some(Answer { entry, ended: false, last_write: None });
    }

    fn body_ended(&self) {
        if let Some(answer) = self.lock().as_mut() {
            answer.ended = true;
        }
    }

    fn wrote(&self, begun: u64, bytes: usize) {
        if let Some(answer) = self.lock().as_mut() {
            answer.last_write = Some(begun);
            answer.entry.row().bytes += bytes as u64;
        }
    }

    /// Nothing is left in the buffer.
    fn flushed(&self) {
        let mut answering = self.lock();
        let departed = answering.take_if(|answer| answer.ended && answer.last_write.is_some());
        drop(answering);
        if let Some(mut answer) = departed {
            answer.entry.row().departure = answer.last_write;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Answer>> {
        self.0.lock().expect("nothing panics while it holds the answer")
    }
}

/// A connection that tells what it writes, if there is anyone to tell.
pub(crate) struct Wire {
    io: TokioIo<TcpStream>,
    answering: Option<Answering>,
}

impl Wire {
    pub(crate) fn new(stream: TcpStream, answering: Option<Answering>) -> Self {
        Self { io: TokioIo::new(stream), answering }
    }

    fn io(&mut self) -> Pin<&mut TokioIo<TcpStream>> {
        Pin::new(&mut self.io)
    }

    fn told(
        &mut self,
        write: impl FnOnce(Pin<&mut TokioIo<TcpStream>>) -> Poll<Result<usize, Error>>,
    ) -> Poll<Result<usize, Error>> {
        let Some(answering) = self.answering.clone() else { return write(self.io()) };
        let begun = monotonic_ns();
        let written = write(self.io());
        if let Poll::Ready(Ok(bytes)) = written {
            answering.wrote(begun, bytes);
        }
        written
    }
}

impl Read for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<Result<(), Error>> {
        self.io().poll_read(context, buffer)
    }
}

impl Write for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize, Error>> {
        self.told(|io| io.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize, Error>> {
        self.told(|io| io.poll_write_vectored(context, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let flushed = self.io().poll_flush(context);
        if let (Poll::Ready(Ok(())), Some(answering)) = (&flushed, &self.answering) {
            answering.flushed();
        }
        flushed
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Error>> {
        self.io().poll_shutdown(context)
    }
}

/// A body that tells when the connection is through with it.
pub(crate) struct Body {
    body: axum::body::Body,
    answering: Option<Answering>,
}

impl Body {
    pub(crate) fn new(body: axum::body::Body, answering: Option<Answering>) -> Self {
        Self { body, answering }
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        // A connection drops the body when it has the whole of it, and needs none for HEAD.
        if let Some(answering) = &self.answering {
            answering.body_ended();
        }
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
