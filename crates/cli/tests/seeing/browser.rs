//! A headless Chromium, by the WebDriver protocol: what a page looks like to who opens it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// A browser with one window.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

/// The key of an element's reference, which the protocol fixes.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

impl Browser {
    /// A new one; `None` where it is not installed.
    pub fn start() -> Option<Browser> {
        let version = Command::new("chromium").arg("--version").output().ok()?;
        version.status.success().then_some(())?;
        // The driver chooses a port and says it.
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut port = None;
        for line in BufReader::new(driver.stdout.take()?).lines().map_while(Result::ok) {
            if let Some((_, rest)) = line.split_once("started successfully on port ") {
                port = rest.trim_end_matches('.').parse().ok();
                break;
            }
        }
        let mut browser = Browser { driver, port: port.expect("the driver's port"), session: String::new() };
        let arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,2400"];
        let options = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}});
        let session = browser.ask("POST", "/session", Some(options));
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        Some(browser)
    }

    fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .expect("the driver reads");
        let mut stream = BufReader::new(stream);
        let mut size = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).expect("an answer");
            if let Some(length) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                size = length.trim().parse().expect("a length");
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut answer = vec![0; size];
        stream.read_exact(&mut answer).expect("the whole answer");
        let mut answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let value = answer["value"].take();
        assert!(value["error"].is_null(), "{method} {path} {body}: {value:#}");
        value
    }

    fn of_session(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        self.ask(method, &format!("/session/{}{path}", self.session), body)
    }

    /// Opens a file.
    pub fn open(&self, path: &Path) {
        self.of_session("POST", "/url", Some(json!({"url": format!("file://{}", path.display())})));
    }

    fn element(&self, selector: &str) -> String {
        let wanted = json!({"using": "css selector", "value": selector});
        let found = self.of_session("POST", "/element", Some(wanted));
        found[ELEMENT].as_str().expect("an element").to_owned()
    }

    /// Width and height of what a selector finds.
    pub fn size(&self, selector: &str) -> (f64, f64) {
        let rect = self.of_session("GET", &format!("/element/{}/rect", self.element(selector)), None);
        (rect["width"].as_f64().expect("a width"), rect["height"].as_f64().expect("a height"))
    }

    /// Clicks on what a selector finds.
    pub fn click(&self, selector: &str) {
        let path = format!("/element/{}/click", self.element(selector));
        self.of_session("POST", &path, Some(json!({})));
    }

    /// What a script gives.
    pub fn script(&self, script: &str) -> Value {
        self.of_session("POST", "/execute/sync", Some(json!({"script": script, "args": []})))
    }

    /// The window as PNG, in base64.
    pub fn screenshot(&self) -> String {
        self.of_session("GET", "/screenshot", None).as_str().expect("a picture").to_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.of_session("DELETE", "", None);
        }
        // It may have ended by itself.
        _ = self.driver.kill();
        _ = self.driver.wait();
    }
}
