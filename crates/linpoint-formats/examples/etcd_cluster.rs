//! Runs a real etcd cluster of three members on loopback, drives it with concurrent clients while members are killed
//! and paused, and writes a report as etcd's robustness tests do: `etcd_cluster DIR [SECONDS]`.
//!
//! Needs the program `etcd` (Debian's package `etcd-server`). Clients use the gRPC gateway: JSON over HTTP.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use linpoint_formats::etcd::rows::{
    Condition, Delete, Event, Found, Input, KeyValue, Lease, Operation, Output, Put, Range,
    Response, Row, Txn, TxnAnswer, ValueOrHash, Watch, WatchRequest,
};
use serde_json::{Value, json};

/// A client gives up after this. The request may still take effect.
const PATIENCE: Duration = Duration::from_millis(400);
const MEMBERS: usize = 3;
const CLIENTS: u32 = 6;
const KEYS: u64 = 6;

/// What happened, in numbers.
#[derive(Debug, Default)]
pub struct Summary {
    /// Requests that were answered.
    pub answered: usize,
    /// Requests that were not.
    pub failed: usize,
    /// Events that watches delivered.
    pub events: usize,
    /// How often a member was killed and started again.
    pub kills: usize,
    /// How often a member was paused.
    pub pauses: usize,
}

/// True if the program can be started.
pub fn is_installed() -> bool {
    let mut version = Command::new("etcd");
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// Runs a cluster for this long, and writes the report into a folder.
pub fn run(report: &Path, time: Duration, seed: u64) -> io::Result<Summary> {
    let data = report.join("members");
    let cluster = Cluster::start(&data)?;
    let shared = Shared {
        cluster: &cluster,
        begun: Instant::now(),
        is_over: AtomicBool::new(false),
        streams: AtomicU32::new(CLIENTS),
        values: AtomicU32::new(0),
    };
    let mut summary = Summary::default();
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let random = fastrand::Rng::with_seed(seed + u64::from(number));
                let shared = &shared;
                scope.spawn(move || Client::new(shared, number, random).run())
            })
            .collect();
        let watches: Vec<_> = (0..MEMBERS)
            .map(|member| {
                let shared = &shared;
                scope.spawn(move || watch(shared, member))
            })
            .collect();
        let mut random = fastrand::Rng::with_seed(seed);
        while shared.begun.elapsed() < time {
            thread::sleep(Duration::from_millis(300 + random.u64(..300)));
            let member = random.usize(..MEMBERS);
            let outage = Duration::from_millis(200 + random.u64(..600));
            match random.bool() {
                true => summary.kills += usize::from(cluster.kill(member, outage)),
                false => summary.pauses += usize::from(cluster.pause(member, outage)),
            }
        }
        shared.is_over.store(true, Ordering::Relaxed);
        for (number, client) in (1..).zip(clients) {
            let (answered, failed) = client.join().unwrap_or_default();
            summary.answered += answered.len();
            summary.failed += failed.len();
            write(report, number, "operations.json", answered.iter().chain(&failed))?;
        }
        for (number, watch) in (CLIENTS as usize + 1..).zip(watches) {
            let watches = watch.join().unwrap_or_default();
            let responses = watches.iter().flat_map(|watch| watch.responses.iter().flatten());
            summary.events += responses.map(|r| r.events.iter().flatten().count()).sum::<usize>();
            write(report, number, "watch.json", watches.iter())?;
        }
        io::Result::Ok(())
    })?;
    drop(cluster);
    fs::remove_dir_all(data)?;
    Ok(summary)
}

fn write<T: serde::Serialize>(
    report: &Path,
    client: usize,
    file: &str,
    rows: impl Iterator<Item = T>,
) -> io::Result<()> {
    let folder = report.join(format!("client-{client}"));
    fs::create_dir_all(&folder)?;
    let mut text = String::new();
    for row in rows {
        text += &serde_json::to_string(&row)?;
        text.push('\n');
    }
    fs::write(folder.join(file), text)
}

/// Members that run, and how to start them again.
struct Cluster {
    members: Vec<Mutex<Child>>,
    arguments: Vec<Vec<String>>,
    /// Ports for clients.
    ports: Vec<u16>,
}

impl Cluster {
    fn start(data: &Path) -> io::Result<Cluster> {
        let (ports, peers) = (free_ports()?, free_ports()?);
        let url = |port: u16| format!("http://127.0.0.1:{port}");
        let names: Vec<String> = (0..MEMBERS).map(|member| format!("m{member}")).collect();
        let all = names.iter().zip(&peers).map(|(name, peer)| format!("{name}={}", url(*peer)));
        let all: Vec<String> = all.collect();
        let arguments: Vec<Vec<String>> = (0..MEMBERS)
            .map(|member| {
                let (client, peer) = (url(ports[member]), url(peers[member]));
                let folder = data.join(&names[member]).display().to_string();
                [
                    ("--name", names[member].clone()),
                    ("--data-dir", folder),
                    ("--listen-client-urls", client.clone()),
                    ("--advertise-client-urls", client),
                    ("--listen-peer-urls", peer.clone()),
                    ("--initial-advertise-peer-urls", peer),
                    ("--initial-cluster", all.join(",")),
                    ("--initial-cluster-state", "new".to_owned()),
                    ("--heartbeat-interval", "50".to_owned()),
                    ("--election-timeout", "300".to_owned()),
                    ("--logger", "zap".to_owned()),
                    ("--log-outputs", "/dev/null".to_owned()),
                ]
                .into_iter()
                .flat_map(|(name, value)| [name.to_owned(), value])
                .collect()
            })
            .collect();
        fs::create_dir_all(data)?;
        let members = arguments.iter().map(|arguments| Ok(Mutex::new(spawn(arguments)?)));
        let members = members.collect::<io::Result<Vec<_>>>()?;
        let cluster = Cluster { members, arguments, ports };
        cluster.wait_until_ready()?;
        Ok(cluster)
    }

    fn wait_until_ready(&self) -> io::Result<()> {
        let begun = Instant::now();
        for port in &self.ports {
            let body = json!({ "key": encode("ready?") });
            while !Http::open(*port)
                .and_then(|mut http| http.post("/v3/kv/range", &body))
                .is_ok_and(|r| r.is_ok())
            {
                if begun.elapsed() > Duration::from_secs(20) {
                    return Err(io::Error::other("the cluster did not come up"));
                }
                thread::sleep(Duration::from_millis(50));
            }
        }
        Ok(())
    }

    fn member(&self, member: usize) -> std::sync::MutexGuard<'_, Child> {
        self.members[member].lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn kill(&self, member: usize, outage: Duration) -> bool {
        let mut child = self.member(member);
        let killed = child.kill().and_then(|()| child.wait()).is_ok();
        thread::sleep(outage);
        match spawn(&self.arguments[member]) {
            Ok(again) => *child = again,
            Err(_) => return false,
        }
        killed
    }

    fn pause(&self, member: usize, outage: Duration) -> bool {
        let child = self.member(member);
        let paused = signal("STOP", child.id());
        thread::sleep(outage);
        signal("CONT", child.id()) && paused
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for member in 0..self.members.len() {
            let mut child = self.member(member);
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

fn spawn(arguments: &[String]) -> io::Result<Child> {
    Command::new("etcd").args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

fn signal(name: &str, process: u32) -> bool {
    let arguments = [format!("-{name}"), process.to_string()];
    Command::new("kill").args(arguments).status().is_ok_and(|status| status.success())
}

fn free_ports() -> io::Result<Vec<u16>> {
    let listeners = (0..MEMBERS).map(|_| TcpListener::bind(("127.0.0.1", 0)));
    let listeners = listeners.collect::<io::Result<Vec<_>>>()?;
    listeners.iter().map(|listener| Ok(listener.local_addr()?.port())).collect()
}

/// A connection to a member.
struct Http {
    stream: BufReader<TcpStream>,
    port: u16,
}

/// The body of an answer, or the error that the member reports.
type Answer = Result<Value, String>;

impl Http {
    fn open(port: u16) -> io::Result<Http> {
        let stream = TcpStream::connect_timeout(&([127, 0, 0, 1], port).into(), PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Http { stream: BufReader::new(stream), port })
    }

    fn send(&mut self, path: &str, body: &Value) -> io::Result<()> {
        let (body, port) = (body.to_string(), self.port);
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.stream.get_mut().write_all((head + &body).as_bytes())
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }

    /// The status, the length of the body, and whether it comes in chunks.
    fn head(&mut self) -> io::Result<(u32, usize, bool)> {
        let status = self.line()?.split(' ').nth(1).and_then(|status| status.parse().ok());
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            match line.split_once(": ") {
                Some(("content-length", value)) => length = value.parse().unwrap_or_default(),
                Some(("transfer-encoding", value)) => is_chunked = value == "chunked",
                _ if line.is_empty() => {
                    return Ok((status.unwrap_or_default(), length, is_chunked));
                }
                _ => {}
            }
        }
    }

    /// A chunk of the body; empty at the end.
    fn chunk(&mut self) -> io::Result<Vec<u8>> {
        let length = usize::from_str_radix(&self.line()?, 16).map_err(io::Error::other)?;
        let mut bytes = vec![0; length + 2];
        self.stream.read_exact(&mut bytes)?;
        bytes.truncate(length);
        Ok(bytes)
    }

    fn post(&mut self, path: &str, body: &Value) -> io::Result<Answer> {
        self.send(path, body)?;
        let (status, length, is_chunked) = self.head()?;
        let mut bytes = vec![0; length];
        if is_chunked {
            loop {
                let chunk = self.chunk()?;
                if chunk.is_empty() {
                    break;
                }
                bytes.extend(chunk);
            }
        } else {
            self.stream.read_exact(&mut bytes)?;
        }
        let body: Value = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
        Ok(match status {
            200 => Ok(body),
            _ => Err(body["error"].as_str().unwrap_or("an error").to_owned()),
        })
    }
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn encode(text: &str) -> String {
    let mut out = String::new();
    for part in text.as_bytes().chunks(3) {
        let at = |i: usize| part.get(i).copied().map_or(0, u32::from);
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= part.len() { letter.into() } else { '=' });
        }
    }
    out
}

fn decode(text: &Value) -> String {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.as_str().unwrap_or_default().bytes() {
        let Some(value) = LETTERS.iter().position(|known| *known == letter) else { continue };
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Numbers of 64 bits are texts, and 0 is left out.
fn number(value: &Value) -> i64 {
    value.as_str().and_then(|text| text.parse().ok()).or_else(|| value.as_i64()).unwrap_or_default()
}

fn revision(answer: &Value) -> i64 {
    number(&answer["header"]["revision"])
}

/// What clients share.
struct Shared<'a> {
    cluster: &'a Cluster,
    begun: Instant,
    is_over: AtomicBool,
    streams: AtomicU32,
    values: AtomicU32,
}

impl Shared<'_> {
    fn now(&self) -> i64 {
        self.begun.elapsed().as_nanos() as i64
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// A client that does one request after the other.
struct Client<'a> {
    shared: &'a Shared<'a>,
    member: usize,
    stream: u32,
    random: fastrand::Rng,
    http: Option<Http>,
    /// The revision of each key that it has seen; 0 for an absent one.
    seen: Vec<i64>,
    /// The revision of its last answer.
    last: i64,
    lease: i64,
    answered: Vec<Row>,
    failed: Vec<Row>,
}

impl<'a> Client<'a> {
    fn new(shared: &'a Shared<'a>, number: u32, random: fastrand::Rng) -> Client<'a> {
        Client {
            shared,
            member: number as usize % MEMBERS,
            stream: number,
            random,
            http: None,
            seen: vec![0; KEYS as usize],
            last: 0,
            lease: 0,
            answered: Vec::new(),
            failed: Vec::new(),
        }
    }

    fn run(mut self) -> (Vec<Row>, Vec<Row>) {
        while !self.shared.is_over() {
            let (path, body, input) = self.request();
            let call = self.shared.now();
            let answer = self.ask(path, &body);
            let end = self.shared.now();
            let mut row =
                Row { client_id: self.stream.into(), input, call, r#return: end, ..Row::default() };
            match answer {
                Ok(answer) => {
                    row.output = self.output(&mut row.input, &answer);
                    self.last = revision(&answer);
                    self.answered.push(row);
                }
                Err(error) => {
                    row.output.error = error;
                    self.failed.push(row);
                    self.stream = self.shared.streams.fetch_add(1, Ordering::Relaxed);
                    self.member = (self.member + 1) % MEMBERS;
                }
            }
            thread::sleep(Duration::from_micros(self.random.u64(..6_000)));
        }
        (self.answered, self.failed)
    }

    fn ask(&mut self, path: &str, body: &Value) -> Answer {
        let mut http = match self.http.take() {
            Some(http) => http,
            None => {
                Http::open(self.shared.cluster.ports[self.member]).map_err(|e| e.to_string())?
            }
        };
        let answer = http.post(path, body).map_err(|error| error.to_string())??;
        self.http = Some(http);
        Ok(answer)
    }

    /// The next request: where it goes, what is sent, and what is recorded.
    fn request(&mut self) -> (&'static str, Value, Input) {
        let named = |name: &str| Input { r#type: name.to_owned(), ..Input::default() };
        let at = self.random.u64(..KEYS);
        let key = format!("key/{at}");
        match self.random.u64(..20) {
            0..=3 => {
                let old = if self.random.u64(..4) == 0 { self.last } else { 0 };
                let range = Range {
                    start: "key/".to_owned(),
                    end: "key0".to_owned(),
                    limit: 4,
                    revision: old,
                    keys_only: false,
                };
                let body = json!({
                    "key": encode(&range.start), "range_end": encode(&range.end), "limit": "4", "revision": old.to_string()
                });
                ("/v3/kv/range", body, Input { range: Some(range), ..named("range") })
            }
            4..=6 => {
                let body = json!({ "key": encode(&key) });
                let range = Range { start: key, ..Range::default() };
                ("/v3/kv/range", body, Input { range: Some(range), ..named("range") })
            }
            7 if self.lease == 0 => {
                let body = json!({ "TTL": "3600" });
                (
                    "/v3/lease/grant",
                    body,
                    Input { lease_grant: Some(Lease::default()), ..named("leaseGrant") },
                )
            }
            7 => {
                let lease_id = std::mem::take(&mut self.lease);
                let body = json!({ "ID": lease_id.to_string() });
                (
                    "/v3/lease/revoke",
                    body,
                    Input { lease_revoke: Some(Lease { lease_id }), ..named("leaseRevoke") },
                )
            }
            kind => {
                let condition = (kind > 10).then(|| Condition {
                    key: key.clone(),
                    expected_revision: self.seen[at as usize],
                    expected_version: 0,
                });
                let value = self.shared.values.fetch_add(1, Ordering::Relaxed).to_string();
                let lease_id = if kind == 8 { self.lease } else { 0 };
                let operation = match kind {
                    18.. => Operation {
                        r#type: "delete-operation".to_owned(),
                        delete: Delete { key: key.clone() },
                        ..Operation::default()
                    },
                    _ => {
                        let put =
                            Put { key: key.clone(), value: ValueOrHash::of(&value), lease_id };
                        Operation {
                            r#type: "put-operation".to_owned(),
                            put,
                            ..Operation::default()
                        }
                    }
                };
                let sent = match kind {
                    18.. => json!({ "request_delete_range": { "key": encode(&key) } }),
                    _ => {
                        json!({ "request_put": { "key": encode(&key), "value": encode(&value), "lease": lease_id.to_string() } })
                    }
                };
                let compare: Vec<Value> = condition
                    .iter()
                    .map(|condition| {
                        let revision = condition.expected_revision.to_string();
                        json!({ "key": encode(&key), "target": "MOD", "result": "EQUAL", "mod_revision": revision })
                    })
                    .collect();
                let read = json!({ "request_range": { "key": encode(&key) } });
                let range = Range { start: key, ..Range::default() };
                let otherwise = Operation {
                    r#type: "range-operation".to_owned(),
                    range,
                    ..Operation::default()
                };
                let has_condition = condition.is_some();
                let body = json!({
                    "compare": compare, "success": [sent], "failure": if has_condition { vec![read] } else { Vec::new() }
                });
                let txn = Txn {
                    conditions: Some(condition.into_iter().collect()),
                    operations_on_success: Some(vec![operation]),
                    operations_on_failure: Some(if has_condition {
                        vec![otherwise]
                    } else {
                        Vec::new()
                    }),
                };
                ("/v3/kv/txn", body, Input { txn: Some(txn), ..named("txn") })
            }
        }
    }

    /// What is recorded of an answer, and what the client remembers of it.
    fn output(&mut self, input: &mut Input, answer: &Value) -> Output {
        let mut output = Output { revision: revision(answer), ..Output::default() };
        if input.range.is_some() {
            let found = self.found(answer);
            output.range = Some(found);
        } else if let Some(lease) = &mut input.lease_grant {
            lease.lease_id = number(&answer["ID"]);
            self.lease = lease.lease_id;
        } else if let Some(txn) = &input.txn {
            let succeeded = answer["succeeded"].as_bool().unwrap_or_default();
            let is_put = |operation: &Operation| operation.r#type == "put-operation";
            let first = txn.operations_on_success.iter().flatten().next();
            if let Some(operation) = first.filter(|_| succeeded) {
                let key =
                    if is_put(operation) { &operation.put.key } else { &operation.delete.key };
                self.see(key, if is_put(operation) { output.revision } else { 0 });
            }
            let responses = answer["responses"].as_array().cloned().unwrap_or_default();
            let results = responses.iter().map(|response| {
                let deleted = number(&response["response_delete_range"]["deleted"]);
                Found { deleted, ..self.found(&response["response_range"]) }
            });
            let results = results.collect();
            output.txn = Some(TxnAnswer { failure: !succeeded, results: Some(results) });
        }
        output
    }

    fn see(&mut self, key: &str, revision: i64) {
        let at = key.rsplit('/').next().and_then(|at| at.parse::<usize>().ok());
        if let Some(seen) = at.and_then(|at| self.seen.get_mut(at)) {
            *seen = revision;
        }
    }

    fn found(&mut self, answer: &Value) -> Found {
        let keys = answer["kvs"].as_array().cloned().unwrap_or_default();
        let kvs: Vec<KeyValue> = keys
            .iter()
            .map(|found| KeyValue {
                key: decode(&found["key"]),
                value: ValueOrHash::of(&decode(&found["value"])),
                mod_revision: number(&found["mod_revision"]),
                version: number(&found["version"]),
            })
            .collect();
        for found in &kvs {
            self.see(&found.key, found.mod_revision);
        }
        Found { count: number(&answer["count"]), kvs: Some(kvs), deleted: 0 }
    }
}

/// Watches all keys through one member. A watch that breaks is resumed.
fn watch(shared: &Shared<'_>, member: usize) -> Vec<Watch> {
    let (mut watches, mut from) = (Vec::new(), 1);
    while !shared.is_over() {
        let mut responses: Vec<Response> = Vec::new();
        let request = WatchRequest {
            key: "key/".to_owned(),
            revision: from,
            with_prefix: true,
            with_progress_notify: true,
            with_prev_kv: false,
        };
        let _ = receive(shared, member, from, &mut responses);
        let last = responses.iter().flat_map(|response| response.events.iter().flatten()).last();
        if let Some(last) = last {
            from = last.revision + 1;
        }
        watches.push(Watch { request, responses: Some(responses) });
        thread::sleep(Duration::from_millis(20));
    }
    watches
}

fn receive(
    shared: &Shared<'_>,
    member: usize,
    from: i64,
    responses: &mut Vec<Response>,
) -> io::Result<()> {
    let mut http = Http::open(shared.cluster.ports[member])?;
    let body = json!({ "create_request": {
        "key": encode("key/"), "range_end": encode("key0"), "start_revision": from.to_string(), "progress_notify": true
    }});
    http.send("/v3/watch", &body)?;
    http.head()?;
    let mut text = Vec::new();
    while !shared.is_over() {
        text.extend(http.chunk()?);
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            let Ok(message) = serde_json::from_slice::<Value>(&line) else { continue };
            let message = &message["result"];
            let events: Vec<Event> = message["events"]
                .as_array()
                .map(|e| e.iter().map(event).collect())
                .unwrap_or_default();
            if !events.is_empty() {
                responses.push(Response {
                    events: Some(events),
                    is_progress_notify: false,
                    revision: revision(message),
                    time: shared.now(),
                    error: String::new(),
                });
            }
        }
    }
    Ok(())
}

fn event(event: &Value) -> Event {
    let is_delete = event["type"].as_str() == Some("DELETE");
    let of = &event["kv"];
    Event {
        r#type: if is_delete { "delete-operation" } else { "put-operation" }.to_owned(),
        key: decode(&of["key"]),
        value: if is_delete {
            ValueOrHash::default()
        } else {
            ValueOrHash::of(&decode(&of["value"]))
        },
        revision: number(&of["mod_revision"]),
        is_create: None,
        prev_value: None,
    }
}

#[allow(dead_code, reason = "a test includes this file")]
fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let Some(report) = args.next().map(PathBuf::from) else {
        eprintln!("usage: etcd_cluster DIR [SECONDS]");
        std::process::exit(2);
    };
    let seconds = args.next().and_then(|seconds| seconds.parse().ok()).unwrap_or(10);
    let summary = run(&report, Duration::from_secs(seconds), 1)?;
    println!("{summary:?}");
    println!("linpoint check {}", report.display());
    Ok(())
}
