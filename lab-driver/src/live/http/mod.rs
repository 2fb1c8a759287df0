//! A lean HTTP/1.1 exchange: one request, one response, a connection that is kept alive.

mod chunked;
mod connection;
mod error;
mod head;
mod needle;
mod parse;
mod request;
mod response;

pub use connection::{Connection, Connector};
pub use error::{BadResponse, Fault, Retry, TransportError};
pub use needle::Needle;
pub use parse::{MAX_HEAD, ResponseParser};
pub use request::{Request, RequestError, encode_query_value};
pub use response::{BodyInterest, Interest, Response, ServerTiming};
