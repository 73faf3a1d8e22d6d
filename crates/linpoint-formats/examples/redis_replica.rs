//! Runs a real Redis with a replica on loopback: clients write to the one and read from both, also while the replica is
//! cut off. Reads from it are stale. Writes a history: `redis_replica FILE [MILLISECONDS]`.
//!
//! Needs the program `redis-server` (Debian's package of that name).

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(2);
const KEYS: usize = 3;

/// What happened, in numbers.
#[derive(Debug, Default)]
pub struct Summary {
    /// Operations of clients.
    pub operations: usize,
    /// Of these, reads from the replica.
    pub from_replica: usize,
}

/// True if the program can be started.
pub fn is_installed() -> bool {
    let mut version = Command::new("redis-server");
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// Runs the servers for this long, and writes the history. In the second half, the replica is cut off.
pub fn run(history: &Path, time: Duration, seed: u64) -> io::Result<Summary> {
    let primary = Server::start(None)?;
    let replica = Server::start(Some(primary.port))?;
    let mut control = Connection::open(replica.port)?;
    let begun = Instant::now();
    while !control.ask(&["INFO", "replication"])?.contains("master_link_status:up") {
        if begun.elapsed() > Duration::from_secs(15) {
            return Err(io::Error::other("the replica did not come up"));
        }
        thread::sleep(Duration::from_millis(20));
    }
    let lines = Mutex::new(Vec::new());
    let begun = Instant::now();
    let values = AtomicI64::new(1);
    let mut summary = Summary::default();
    thread::scope(|scope| {
        let clients: Vec<_> = (0..4)
            .map(|client| {
                let port = if client < 2 { primary.port } else { replica.port };
                let (lines, values) = (&lines, &values);
                scope.spawn(move || {
                    let random = fastrand::Rng::with_seed(seed + client);
                    Client { client, port, random, lines, values, begun, time }.run()
                })
            })
            .collect();
        thread::sleep(time / 2);
        // Nothing listens at this port: the replica keeps what it has.
        control.ask(&["REPLICAOF", "127.0.0.1", "1"])?;
        for (client, joined) in (0..).zip(clients) {
            let operations =
                joined.join().unwrap_or_else(|_| Err(io::Error::other("a client failed")))?;
            summary.operations += operations;
            summary.from_replica += if client < 2 { 0 } else { operations };
        }
        io::Result::Ok(())
    })?;
    let mut text = String::from(
        "{\"linpoint\":1,\"model\":\"kv\",\"note\":\"Redis with a replica; clients 2 and 3 read from the replica\"}\n",
    );
    let lines = lines.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    for line in lines {
        text += &line.to_string();
        text.push('\n');
    }
    fs::write(history, text)?;
    Ok(summary)
}

/// A server that ends with this.
struct Server {
    child: Child,
    port: u16,
    folder: PathBuf,
}

impl Server {
    fn start(primary: Option<u16>) -> io::Result<Server> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let folder =
            std::env::temp_dir().join(format!("linpoint-redis-{}-{port}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
        command.args(["--port", &port.to_string(), "--repl-diskless-sync-delay", "0"]);
        command.arg("--dir").arg(&folder);
        if let Some(primary) = primary {
            command.args(["--replicaof", "127.0.0.1", &primary.to_string()]);
        }
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let server = Server { child, port, folder };
        let begun = Instant::now();
        while Connection::open(port).and_then(|mut c| c.ask(&["PING"])).is_err() {
            if begun.elapsed() > Duration::from_secs(15) {
                return Err(io::Error::other("redis-server did not come up"));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
        let _ = fs::remove_dir_all(&self.folder);
    }
}

struct Connection(BufReader<TcpStream>);

impl Connection {
    fn open(port: u16) -> io::Result<Connection> {
        let stream = TcpStream::connect_timeout(&([127, 0, 0, 1], port).into(), PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Connection(BufReader::new(stream)))
    }

    /// A command, and its answer as text; a missing value is empty.
    fn ask(&mut self, words: &[&str]) -> io::Result<String> {
        let mut command = format!("*{}\r\n", words.len());
        for word in words {
            command += &format!("${}\r\n{word}\r\n", word.len());
        }
        self.0.get_mut().write_all(command.as_bytes())?;
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        let (kind, rest) = line.trim_end().split_at_checked(1).unwrap_or_default();
        match (kind, rest.parse::<i64>()) {
            ("+" | ":", _) => Ok(rest.to_owned()),
            ("$", Ok(-1)) => Ok(String::new()),
            ("$", Ok(length)) => {
                let mut bytes = vec![0; length as usize + 2];
                self.0.read_exact(&mut bytes)?;
                bytes.truncate(length as usize);
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
            _ => Err(io::Error::other(rest.to_owned())),
        }
    }
}

struct Client<'a> {
    client: u64,
    port: u16,
    random: fastrand::Rng,
    lines: &'a Mutex<Vec<Value>>,
    values: &'a AtomicI64,
    begun: Instant,
    time: Duration,
}

impl Client<'_> {
    fn run(mut self) -> io::Result<usize> {
        let mut connection = Connection::open(self.port)?;
        let mut operations = 0;
        while self.begun.elapsed() < self.time {
            let key = ["x", "y", "z"][self.random.usize(..KEYS)];
            let is_write = self.client < 2 && self.random.bool();
            let start = self.begun.elapsed().as_nanos() as u64;
            let (op, args, value) = match is_write {
                true => {
                    let value = self.values.fetch_add(1, Ordering::Relaxed);
                    connection.ask(&["SET", key, &value.to_string()])?;
                    ("put", json!([key, value]), json!("ok"))
                }
                false => {
                    let found: Option<i64> = connection.ask(&["GET", key])?.parse().ok();
                    ("get", json!([key]), json!(found))
                }
            };
            let end = self.begun.elapsed().as_nanos() as u64;
            let line = json!({
                "process": self.client, "op": op, "args": args, "value": value, "start": start, "end": end
            });
            self.lines.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(line);
            operations += 1;
            thread::sleep(Duration::from_micros(self.random.u64(..4_000)));
        }
        Ok(operations)
    }
}

#[allow(dead_code, reason = "a test includes this file")]
fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let Some(history) = args.next().map(PathBuf::from) else {
        eprintln!("usage: redis_replica FILE [MILLISECONDS]");
        std::process::exit(2);
    };
    let time = args.next().and_then(|time| time.parse().ok()).unwrap_or(2_000);
    println!("{:?}", run(&history, Duration::from_millis(time), 1)?);
    println!("linpoint check {}", history.display());
    Ok(())
}
