//! Whoever looks on.

use super::*;
use std::io::{Read, Write};

fn ask(at: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(at).unwrap();
    let _ = stream.write_all(request.as_bytes());
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

fn measure(is_there: bool) -> Box<Measure> {
    Box::new(move || {
        is_there.then(|| {
            let mut text = Text::default();
            text.counter("raskt_things_total", "Things.", 7);
            of_process(&mut text);
            text
        })
    })
}

#[test]
fn anybody_within_the_host_may_look_and_nothing_else() {
    let server = MetricsServer::start("127.0.0.1:0".parse().unwrap(), None, measure(true)).unwrap();
    let answer = ask(server.address(), "GET /metrics HTTP/1.1\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("raskt_things_total 7\n"), "{answer}");
    assert!(answer.contains("process_resident_memory_bytes "));
    assert!(ask(server.address(), "GET /health HTTP/1.1\r\n\r\n").ends_with("\r\n\r\nok\n"));
    assert!(ask(server.address(), "GET /other HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    assert_eq!(ask(server.address(), &format!("GET /{} HTTP/1.1\r\n", "x".repeat(20_000))), "");
    drop(server);
}

#[test]
fn where_others_can_reach_it_they_need_the_token() {
    let anywhere = "0.0.0.0:0".parse().unwrap();
    assert!(matches!(MetricsServer::start(anywhere, None, measure(true)), Err(MetricsError::Open(_))));
    let token = Token::random().unwrap();
    let worker = token.scoped(Role::Worker);
    assert!(matches!(MetricsServer::start(anywhere, worker.as_ref(), measure(true)), Err(MetricsError::Open(_))));
    let server = MetricsServer::start(anywhere, Some(&token), measure(true)).unwrap();
    let at = SocketAddr::from(([127, 0, 0, 1], server.address().port()));
    let with = |secret: &str| ask(at, &format!("GET /metrics HTTP/1.1\r\nAuthorization: Bearer {secret}\r\n\r\n"));
    assert!(ask(at, "GET /health HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 401"));
    assert!(with("wrong").starts_with("HTTP/1.1 401"));
    let bearer = token.scoped(Role::Viewer).unwrap().bearer(Role::Viewer).unwrap();
    assert!(with(&bearer).starts_with("HTTP/1.1 200"));
    assert!(with(&token.bearer(Role::Worker).unwrap()).starts_with("HTTP/1.1 401"));
}

#[test]
fn one_that_has_ended_is_not_well() {
    let server = MetricsServer::start("127.0.0.1:0".parse().unwrap(), None, measure(false)).unwrap();
    assert!(ask(server.address(), "GET /health HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 503"));
}

#[test]
fn those_who_say_nothing_do_not_keep_others_out_for_ever() {
    let server = MetricsServer::start("127.0.0.1:0".parse().unwrap(), None, measure(true)).unwrap();
    let silent: Vec<_> = (0..AT_A_TIME).map(|_| TcpStream::connect(server.address()).unwrap()).collect();
    drop(silent);
    while !ask(server.address(), "GET /health HTTP/1.1\r\n\r\n").ends_with("ok\n") {
        std::thread::yield_now();
    }
}
