//! The response parser: every framing, and the same answer however the bytes are split.

use lab_driver::live::http::{
    BadResponse, BodyInterest, Fault, Interest, MAX_HEAD, Needle, Response, ResponseParser,
    ServerTiming,
};
use proptest::prelude::*;

/// Parses `input`, pushed in pieces that end at `cuts`, then the end of the stream.
fn parse_at(input: &[u8], cuts: &[usize], interest: Interest<'_>) -> Result<Response, Fault> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (input.len() + 1)).collect();
    cuts.extend([0, input.len()]);
    cuts.sort_unstable();
    let mut parser = ResponseParser::new(interest);
    for (pair, left) in cuts.windows(2).zip((0..cuts.len() - 1).rev()) {
        let pushed = parser.push(&input[pair[0]..pair[1]])?;
        if let Some(mut response) = pushed {
            // Bytes that are pushed later are seen by the connection, not by the parser.
            response.reusable &= left == 0 || pair[1] == input.len();
            return Ok(response);
        }
        assert!(parser.kept() <= MAX_HEAD, "{} bytes kept", parser.kept());
    }
    parser.finish()
}

fn parse(input: &str, interest: Interest<'_>) -> Result<Response, Fault> {
    let whole = parse_at(input.as_bytes(), &[], interest);
    let every_byte: Vec<usize> = (0..input.len()).collect();
    assert_eq!(parse_at(input.as_bytes(), &every_byte, interest), whole, "byte by byte: {input}");
    whole
}

/// Status, body length and whether the connection can be used again.
fn summary(input: &str) -> Result<(u16, u64, bool), Fault> {
    parse(input, Interest::default())
        .map(|response| (response.status, response.body_bytes, response.reusable))
}

#[test]
fn each_framing_finds_the_end_of_the_body() {
    for (input, expected) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", (200, 5, true)),
        ("HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n", (200, 0, true)),
        ("HTTP/1.1 200\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nhi", (200, 2, true)),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            (200, 3, true),
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc", (200, 3, false)),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n0\r\nT: 1\r\n\r\n",
            (200, 0, true),
        ),
        ("HTTP/1.1 500 No\r\n\r\nuntil the end", (500, 13, false)),
        ("HTTP/1.1 204 No Content\r\n\r\n", (204, 0, true)),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", (304, 0, true)),
        ("HTTP/1.1 200 OK\nContent-Length: 1\n\nx", (200, 1, true)),
        ("\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", (200, 1, true)),
    ] {
        assert_eq!(summary(input), Ok(expected), "{input}");
    }
}

#[test]
fn a_head_response_has_no_body() {
    let head = Interest { head: true, ..Interest::default() };
    for framing in ["Content-Length: 99", "Transfer-Encoding: chunked", "X: y"] {
        let response = parse(&format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n"), head).unwrap();
        assert_eq!((response.body_bytes, response.reusable), (0, true), "{framing}");
    }
}

#[test]
fn interim_responses_are_skipped() {
    let input = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
                 HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok";
    assert_eq!(summary(input), Ok((201, 2, true)));
    assert_eq!(
        summary("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
        Err(BadResponse::Switching.into())
    );
    let endless = "HTTP/1.1 100 Continue\r\n\r\n".repeat(MAX_HEAD / 25 + 1);
    assert_eq!(
        parse_at(endless.as_bytes(), &[], Interest::default()),
        Err(BadResponse::HeadTooLong.into())
    );
}

#[test]
fn the_connection_is_kept_only_when_both_ends_know_where_the_response_ends() {
    for (head, reusable) in [
        ("HTTP/1.1 200 OK\r\nConnection: close", false),
        ("HTTP/1.1 200 OK\r\nConnection: x, CLOSE", false),
        ("HTTP/1.1 200 OK\r\nConnection: keep-alive", true),
        ("HTTP/1.0 200 OK\r\nX: y", false),
        ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive", true),
    ] {
        let input = format!("{head}\r\nContent-Length: 1\r\n\r\nx");
        assert_eq!(summary(&input), Ok((200, 1, reusable)), "{head}");
    }
    let both = "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(summary(&format!("HTTP/1.1 200 OK\r\n{both}")), Ok((200, 0, false)));
    let garbage = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n";
    assert_eq!(summary(garbage), Ok((200, 1, false)));
}

#[test]
fn malformed_responses_are_told_apart() {
    for (input, reason) in [
        ("SSH-2.0-OpenSSH\r\n", BadResponse::Head),
        ("HTTP/1.1 99 x\r\n\r\n", BadResponse::Head),
        ("HTTP/1.1 200 OK\r\nbad header\r\n\r\n", BadResponse::Head),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
            BadResponse::ContentLength,
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx", BadResponse::ContentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", BadResponse::ContentLength),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n",
            BadResponse::ContentLength,
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", BadResponse::Chunk),
    ] {
        assert_eq!(summary(input), Err(reason.into()), "{input}");
    }
}

#[test]
fn an_early_end_is_no_response() {
    for input in [
        "",
        "HTTP/1.1 200 OK\r\nConte",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n",
    ] {
        assert_eq!(summary(input), Err(Fault::ClosedEarly), "{input}");
    }
}

#[test]
fn heads_are_long_up_to_the_limit() {
    let head = |padding: usize| {
        format!("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nX: {}\r\n\r\nx", "y".repeat(padding))
    };
    let overhead = head(0).len() - 1;
    let cuts: Vec<usize> = (0..MAX_HEAD).step_by(1000).collect();
    for cuts in [&[][..], &cuts] {
        let longest = head(MAX_HEAD - overhead);
        assert!(parse_at(longest.as_bytes(), cuts, Interest::default()).is_ok());
        let longer = head(MAX_HEAD - overhead + 1);
        let outcome = parse_at(longer.as_bytes(), cuts, Interest::default());
        assert_eq!(outcome, Err(BadResponse::HeadTooLong.into()));
    }
    let many = |lines| format!("HTTP/1.1 204 x\r\n{}\r\n", "X: y\r\n".repeat(lines));
    assert_eq!(summary(&many(1000)), Ok((204, 0, true)));
    assert_eq!(summary(&many(1025)), Err(BadResponse::TooManyHeaders.into()));
}

#[test]
fn only_what_was_asked_for_is_kept() {
    let input = "HTTP/1.1 200 OK\r\nServer-Timing: queue;dur=1.5, work;dur=2\r\n\
                 Lab-Admin: 18000\r\nContent-Length: 5\r\n\r\nhello";
    let nothing = parse(input, Interest::default()).unwrap();
    assert_eq!(nothing.server_timing, ServerTiming::default());
    assert_eq!((nothing.lab_admin, nothing.contains, nothing.body.len()), (None, None, 0));

    let body = BodyInterest::Keep(5);
    let all = Interest { body, server_timing: true, lab_admin: true, head: false };
    let all = parse(input, all).unwrap();
    let timing = ServerTiming { queue: Some(1_500_000), work: Some(2_000_000), freeze: None };
    assert_eq!((all.server_timing, all.lab_admin.as_deref()), (timing, Some("18000")));
    assert_eq!(all.body, b"hello");

    let less = Interest { body: BodyInterest::Keep(4), ..Interest::default() };
    assert_eq!(parse(input, less), Err(BadResponse::BodyTooLong.into()));
}

#[test]
fn a_needle_is_found_across_chunks() {
    let input = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                 4\r\nabab\r\n3\r\nacx\r\n0\r\n\r\n";
    for (needle, found) in [("ababac", true), ("abac", true), ("abc", false), ("", true)] {
        let needle = Needle::new(needle);
        let interest = Interest { body: BodyInterest::Contains(&needle), ..Interest::default() };
        assert_eq!(parse(input, interest).unwrap().contains, Some(found), "{needle:?}");
    }
}

/// Pieces of responses, whole and broken.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.0 404 Not Found\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "Content-Length: 7\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Connection: close\r\n",
        "Server-Timing: queue;dur=1\r\n",
        "\r\n",
        "\n",
        "3\r\nfoo\r\n",
        "4;x=y\r\nobar\r\n",
        "0\r\n\r\n",
        "payload",
    ]);
    prop_oneof![
        8 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ]
}

proptest! {
    #[test]
    fn any_split_gives_the_same_response(
        pieces in prop::collection::vec(piece(), 0..12),
        begins_well in prop::bool::weighted(0.8),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
        head in any::<bool>(),
    ) {
        let mut input = if begins_well { b"HTTP/1.1 200 OK\r\n".to_vec() } else { Vec::new() };
        input.extend(pieces.concat());
        let needle = Needle::new("foobar");
        let body = BodyInterest::Contains(&needle);
        let interest = Interest { head, body, server_timing: true, lab_admin: true };
        prop_assert_eq!(parse_at(&input, &cuts, interest), parse_at(&input, &[], interest));
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        input in prop::collection::vec(any::<u8>(), 0..400),
        cuts in prop::collection::vec(any::<usize>(), 0..6),
    ) {
        let interest = Interest { body: BodyInterest::Keep(100), ..Interest::default() };
        let outcome = parse_at(&input, &cuts, interest);
        if let Ok(response) = outcome {
            prop_assert!((200..1000).contains(&response.status));
        }
    }
}
