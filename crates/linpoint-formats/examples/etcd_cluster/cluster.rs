//! Starts the members, kills them and pauses them.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::MEMBERS;
use super::http::{Http, encode};

/// Members that run, and how to start them again.
pub(super) struct Cluster {
    members: Vec<Mutex<Child>>,
    arguments: Vec<Vec<String>>,
    /// Ports for clients.
    pub(super) ports: Vec<u16>,
}

impl Cluster {
    pub(super) fn start(data: &Path) -> io::Result<Cluster> {
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

    pub(super) fn kill(&self, member: usize, outage: Duration) -> bool {
        let mut child = self.member(member);
        let killed = child.kill().and_then(|()| child.wait()).is_ok();
        thread::sleep(outage);
        match spawn(&self.arguments[member]) {
            Ok(again) => *child = again,
            Err(_) => return false,
        }
        killed
    }

    pub(super) fn pause(&self, member: usize, outage: Duration) -> bool {
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
