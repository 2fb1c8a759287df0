//! Exchanges against servers that behave as servers in trouble do.
#![allow(clippy::disallowed_methods, reason = "the servers are threads")]
#![allow(clippy::unwrap_used, reason = "a failed helper is a failed test")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use lab_driver::live::admin_client::{self, AdminError};
use lab_driver::live::http::{
    BadResponse, BodyInterest, Connection, Connector, Fault, Interest, Needle, Response, Retry,
    TransportError,
};

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n";
const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

struct Server {
    address: SocketAddr,
    thread: JoinHandle<()>,
}

impl Server {
    /// Accepts one connection after another and hands each to the next script.
    fn start<const N: usize>(scripts: [fn(&mut TcpStream); N]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let thread = std::thread::spawn(move || {
            for script in scripts {
                let mut stream = listener.accept().unwrap().0;
                stream.set_nodelay(true).unwrap();
                script(&mut stream);
            }
        });
        Self { address, thread }
    }

    fn connector(&self) -> Connector {
        Connector::new(&[self.address])
    }

    fn ended(self) {
        self.thread.join().expect("the server's script went as planned");
    }
}

/// Reads one request without a body.
fn request(stream: &mut TcpStream) {
    let mut seen = Vec::new();
    while !seen.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        seen.extend(byte);
    }
}

/// Takes one request and answers with `response`.
fn answer(stream: &mut TcpStream, response: &str) {
    request(stream);
    stream.write_all(response.as_bytes()).unwrap();
}

/// Waits until the client has closed; what it sends meanwhile is thrown away.
fn until_closed(stream: &mut TcpStream) {
    let _ = std::io::copy(stream, &mut std::io::sink());
}

/// Closes with a reset instead of an orderly end.
fn reset(stream: &mut TcpStream) {
    socket2::SockRef::from(&*stream).set_linger(Some(Duration::ZERO)).unwrap();
}

fn run<T>(test: impl Future<Output = T>) -> T {
    let options = tokio::runtime::LocalOptions::default();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build_local(options)
        .unwrap()
        .block_on(test)
}

async fn get(connection: &mut Connection) -> Result<Response, TransportError> {
    connection.exchange(GET, Interest::default()).await
}

/// The outcome of one GET on a fresh connection to a server with this script.
fn one_get(script: fn(&mut TcpStream)) -> Result<Response, TransportError> {
    let server = Server::start([script]);
    let outcome = run(async { get(&mut server.connector().connect().await.unwrap()).await });
    server.ended();
    outcome
}

#[test]
fn a_connection_is_kept_for_many_exchanges() {
    let server = Server::start([|stream| (0..3).for_each(|_| answer(stream, OK))]);
    run(async {
        let mut connection = server.connector().connect().await.unwrap();
        for _ in 0..3 {
            let response = get(&mut connection).await.unwrap();
            assert_eq!((response.status, response.body_bytes), (200, 2));
            assert!(response.reusable && connection.is_usable());
        }
    });
    server.ended();
}

#[test]
fn headers_and_chunks_may_arrive_byte_by_byte() {
    let server = Server::start([|stream| {
        request(stream);
        let response = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\
                        Transfer-Encoding: chunked\r\n\r\n4;a=b\r\nfind\r\n3\r\n me\r\n0\r\nT: 1\r\n\r\n";
        for byte in response.bytes() {
            stream.write_all(&[byte]).unwrap();
            std::thread::yield_now();
        }
        answer(stream, OK);
    }]);
    run(async {
        let mut connection = server.connector().connect().await.unwrap();
        let needle = Needle::new("d m");
        let interest = Interest { body: BodyInterest::Contains(&needle), ..Interest::default() };
        let response = connection.exchange(GET, interest).await.unwrap();
        assert_eq!((response.body_bytes, response.contains), (7, Some(true)));
        assert_eq!(get(&mut connection).await.unwrap().contains, None);
    });
    server.ended();
}

#[test]
fn a_body_without_length_ends_with_the_connection() {
    let response = one_get(|stream| answer(stream, "HTTP/1.0 200 OK\r\n\r\neverything")).unwrap();
    assert_eq!((response.body_bytes, response.reusable), (10, false));
}

#[test]
fn a_large_body_is_counted_not_kept() {
    let response = one_get(|stream| {
        answer(stream, "HTTP/1.1 200 OK\r\nContent-Length: 8000000\r\n\r\n");
        stream.write_all(&vec![b'x'; 8_000_000]).unwrap();
    });
    let response = response.unwrap();
    assert_eq!((response.body_bytes, response.body.len()), (8_000_000, 0));
}

#[test]
fn garbage_after_the_response_spoils_only_the_connection() {
    let response = one_get(|stream| answer(stream, &format!("{OK}garbage"))).unwrap();
    assert_eq!((response.status, response.reusable), (200, false));
}

#[test]
fn early_ends_and_malformed_answers_are_told_apart() {
    let fault = |script| one_get(script).unwrap_err();
    let never = |fault| TransportError { fault, retry: Retry::Never };
    assert_eq!(fault(request), never(Fault::ClosedEarly));
    assert_eq!(fault(|stream| answer(stream, "HTTP/1.1 20")), never(Fault::ClosedEarly));
    assert_eq!(
        fault(|stream| answer(stream, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")),
        never(Fault::ClosedEarly)
    );
    assert_eq!(
        fault(|stream| {
            request(stream);
            reset(stream);
        }),
        never(Fault::Reset)
    );
    assert_eq!(
        fault(|stream| answer(stream, "220 smtp ready\r\n")),
        never(Fault::BadResponse(BadResponse::Head))
    );
    assert_eq!(
        fault(|stream| {
            answer(stream, "HTTP/1.1 200 OK\r\nX: ");
            // The client may close before all of it is written.
            let _ = stream.write_all(&vec![b'y'; 70_000]);
        }),
        never(Fault::BadResponse(BadResponse::HeadTooLong))
    );
}

#[test]
fn a_refused_port_is_refused_and_the_next_address_is_tried() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let closed = free.local_addr().unwrap();
    drop(free);
    let error = run(Connector::new(&[closed]).connect()).unwrap_err();
    assert_eq!((error.fault, error.kind()), (Fault::Refused, "refused"));

    let server = Server::start([|stream| answer(stream, OK), |stream| answer(stream, OK)]);
    let connector = Connector::new(&[closed, server.address]);
    run(async {
        for _ in 0..2 {
            let mut connection = connector.connect().await.unwrap();
            assert_eq!(get(&mut connection).await.unwrap().status, 200);
        }
    });
    server.ended();
}

#[test]
fn a_connection_closed_while_idle_may_be_retried() {
    let server = Server::start([|stream| answer(stream, OK), |stream| answer(stream, OK)]);
    run(async {
        let connector = server.connector();
        let mut connection = connector.connect().await.unwrap();
        get(&mut connection).await.unwrap();
        // The second connection is accepted only after the first has been closed.
        let mut fresh = connector.connect().await.unwrap();
        get(&mut fresh).await.unwrap();
        let error = get(&mut connection).await.unwrap_err();
        assert_eq!(error, TransportError { fault: Fault::ClosedEarly, retry: Retry::Always });
        assert!(!connection.is_usable());
    });
    server.ended();
}

#[test]
fn a_close_that_crosses_the_request_may_be_retried_when_idempotent() {
    let server = Server::start([|stream| {
        answer(stream, OK);
        request(stream);
    }]);
    run(async {
        let mut connection = server.connector().connect().await.unwrap();
        get(&mut connection).await.unwrap();
        let error = get(&mut connection).await.unwrap_err();
        assert_eq!(error, TransportError { fault: Fault::ClosedEarly, retry: Retry::IfIdempotent });
    });
    server.ended();
}

#[test]
fn an_answer_before_the_request_is_read_is_taken() {
    let server = Server::start([|stream| {
        stream.write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n").unwrap();
        // Neither read nor close: the request can never be sent wholly.
        std::mem::forget(stream.try_clone().unwrap());
    }]);
    run(async {
        let mut connection = server.connector().connect().await.unwrap();
        let long = vec![b'x'; 64_000_000];
        let response = connection.exchange(&long, Interest::default()).await.unwrap();
        assert_eq!((response.status, response.reusable), (413, false));
    });
    server.ended();
}

#[test]
fn a_dropped_exchange_leaves_the_connection_unusable() {
    let server = Server::start([until_closed]);
    run(async {
        let mut connection = server.connector().connect().await.unwrap();
        let waiting = tokio::time::timeout(Duration::from_millis(5), get(&mut connection)).await;
        assert!(waiting.is_err());
        assert!(!connection.is_usable());
    });
    server.ended();
}

#[test]
fn the_admin_client_reads_json_and_tells_failures_apart() {
    let server = Server::start([
        |stream| {
            answer(stream, "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"lab\": \"api\"}");
        },
        |stream| answer(stream, "HTTP/1.1 204 No Content\r\n\r\n"),
        |stream| answer(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
        |stream| answer(stream, OK),
        until_closed,
    ]);
    let (address, long, short) = (server.address, Duration::from_mins(1), Duration::from_millis(5));
    let json = |timeout| admin_client::get_json::<serde_json::Value>(address, "/healthz", timeout);
    run(async {
        assert_eq!(json(long).await.unwrap()["lab"], "api");
        admin_client::post(address, "/lab/reset", long).await.unwrap();
        assert!(matches!(json(long).await, Err(AdminError::Status(404))));
        assert!(matches!(json(long).await, Err(AdminError::Json(_))));
        assert!(matches!(json(short).await, Err(AdminError::Timeout(_))));
    });
    server.ended();
}
