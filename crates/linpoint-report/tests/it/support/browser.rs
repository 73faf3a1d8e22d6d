//! Drives a headless Chromium through the pipe of its developer tools: messages are JSON, terminated by a zero
//! byte. This needs no driver, port or dependency. The browser reads from descriptor 3 and writes to descriptor 4,
//! which a shell connects to its standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

/// Number of browsers started. Each needs its own profile, because tests run in parallel.
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// A browser with one page.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    profile: PathBuf,
    next: u64,
    session: Option<String>,
    target: Option<Value>,
    /// Errors that the page reported.
    pub errors: Vec<String>,
}

/// The browser, if one is installed.
pub fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths)
        .flat_map(|dir| {
            ["chromium", "chromium-browser", "google-chrome"].map(|name| dir.join(name))
        })
        .find(|path| path.is_file());
    named.or(found)
}

impl Browser {
    /// Starts the browser with a window of this size.
    pub fn start(program: &Path, width: u32, height: u32) -> Browser {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("linpoint-chromium-{}-{number}", std::process::id());
        let profile = std::env::temp_dir().join(name);
        let script = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .arg(program)
            .args(["--headless", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run"])
            .args(["--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"])
            .args(["--disable-background-networking", "--disable-extensions", "--mute-audio"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--window-size={width},{height}"))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut browser = Browser {
            child,
            input,
            output,
            profile,
            next: 0,
            session: None,
            target: None,
            errors: Vec::new(),
        };
        browser.attach(width, height);
        browser
    }

    /// Forgets the page and opens another one.
    pub fn fresh_page(&mut self, width: u32, height: u32) {
        self.session = None;
        self.errors.clear();
        if let Some(target) = self.target.take() {
            self.ask("Target.closeTarget", json!({ "targetId": target }));
        }
        self.attach(width, height);
    }

    fn attach(&mut self, width: u32, height: u32) {
        let page = self.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let target = page["targetId"].clone();
        let attached =
            self.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        self.target = Some(target);
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            self.ask(domain, json!({}));
        }
        // Drawing animations takes most of the time, and shows nothing that is tested.
        let calm = json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
        self.ask("Emulation.setEmulatedMedia", calm);
        self.resize(width, height);
    }

    /// Sends a command and waits for its answer. Errors that arrive in the meantime are kept.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(message.to_string().as_bytes()).expect("the browser reads its pipe");
        self.input.write_all(&[0]).expect("the browser reads its pipe");
        loop {
            let message = self.read();
            if message["id"] == json!(self.next) {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.notice(&message);
        }
    }

    fn read(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.output.read_until(0, &mut bytes).expect("the browser writes to its pipe");
        assert!(bytes.pop() == Some(0), "the browser has exited");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    fn notice(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.errors.push(params["exceptionDetails"].to_string());
            }
            Some("Runtime.consoleAPICalled")
                if matches!(params["type"].as_str(), Some("error" | "warning" | "assert")) =>
            {
                self.errors.push(params["args"].to_string());
            }
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                self.errors.push(params["entry"].to_string());
            }
            // The page may request only itself; saving an SVG is a blob.
            Some("Network.requestWillBeSent") => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                if !url.starts_with("file://") && !url.starts_with("blob:") {
                    self.errors.push(format!("network: {url}"));
                }
            }
            _ => {}
        }
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", size);
    }

    /// Opens a file and waits until the timeline has been drawn.
    pub fn open(&mut self, file: &Path, fragment: &str) {
        // Another fragment of the same page would not load it again.
        self.ask("Page.navigate", json!({ "url": "about:blank" }));
        let url = format!("file://{}{fragment}", file.display());
        self.ask("Page.navigate", json!({ "url": url }));
        self.wait("document.documentElement?.dataset.painted && window.linpoint");
        self.settle();
    }

    /// The value of an expression.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.ask("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub fn text(&mut self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap_or_default().to_owned()
    }

    pub fn number(&mut self, expression: &str) -> f64 {
        self.eval(expression).as_f64().unwrap_or(f64::NAN)
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        for _ in 0..6_000 {
            if self.eval(&format!("!!({expression})")) == json!(true) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("timed out waiting for {expression}");
    }

    /// Waits until animations have ended and the page is drawn.
    pub fn settle(&mut self) {
        self.eval(
            "new Promise(done => setTimeout(() => requestAnimationFrame(() => \
             requestAnimationFrame(() => done(1))), 350))",
        );
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str) {
        let text = if key.len() == 1 { key } else { "" };
        self.ask("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": key, "text": text }));
        self.ask("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
        self.settle();
    }

    /// Clicks in the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let find = format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{block: 'nearest'}}); \
             const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; }})()"
        );
        let at = self.eval(&find);
        for kind in ["mousePressed", "mouseReleased"] {
            let event =
                json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1 });
            self.ask("Input.dispatchMouseEvent", event);
        }
        self.settle();
    }

    /// Turns the wheel over a point.
    pub fn wheel(&mut self, x: f64, y: f64, turns: f64) {
        let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": turns });
        self.ask("Input.dispatchMouseEvent", event);
        self.settle();
    }

    /// Moves the mouse.
    pub fn point(&mut self, x: f64, y: f64) {
        self.ask("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
        self.settle();
    }

    /// Saves a screenshot.
    pub fn screenshot(&mut self, file: &Path) {
        let answer = self.ask("Page.captureScreenshot", json!({ "format": "png" }));
        let data = answer["data"].as_str().expect("a picture");
        std::fs::write(file, base64(data)).expect("a writable directory for screenshots");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// Bytes from base64, as the browser writes it.
fn base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let text: Vec<u8> = text.bytes().filter(|c| *c != b'=').collect();
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    for chunk in text.chunks(4) {
        let bits = chunk.iter().fold(0, |bits, c| bits << 6 | digit(*c)) << (6 * (4 - chunk.len()));
        let bytes = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
        out.extend_from_slice(&bytes[..chunk.len() * 3 / 4]);
    }
    out
}
