use super::framing::{Gone, read_message, write_message};
use crate::PolicyError;
use crate::protocol::MAX_ANSWER_BYTES;
use crossbeam::channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, bounded};
use std::collections::VecDeque;
use std::io::{BufReader, Read};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What is kept of standard error, bytes.
const TAIL_BYTES: usize = 4096;
/// Bytes of standard error kept until somebody takes them.
const SAID_BYTES: usize = 64 << 10;
/// Lines of standard error that a reason quotes.
const TAIL_LINES: usize = 8;
/// How long a program may take to end after it closed its output or was asked to close.
const FAREWELL: Duration = Duration::from_millis(1500);

/// A running program with three threads: one writes to it, one reads its answers, one drains its
/// standard error. None of them can block the caller: every wait has a limit.
///
/// Dropping it asks the program to close, then kills it and all it started (its process group).
pub(crate) struct Process {
    child: Child,
    to_child: Option<Sender<Vec<u8>>>,
    from_child: Receiver<Result<Vec<u8>, Gone>>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    /// What it wrote there that nobody has taken yet.
    said: Arc<Mutex<VecDeque<u8>>>,
    stderr_ended: Receiver<()>,
    /// What to send before the end; empty once the program is beyond hope.
    farewell: Vec<u8>,
}

impl Process {
    /// Starts `command` in `sh -c`; `farewell` is the message that asks it to close.
    pub(crate) fn start(command: &str, farewell: Vec<u8>) -> Result<Self, PolicyError> {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let crashed = |what: &str| PolicyError::Crashed { reason: format!("{command:?} {what}") };
        let mut child =
            shell.spawn().map_err(|error| crashed(&format!("cannot be started: {error}")))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            kill(&mut child);
            return Err(crashed("has no pipes"));
        };
        let (to_child, outbox) = bounded(1);
        let (inbox, from_child) = bounded(2);
        let (ended, stderr_ended) = bounded(1);
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let kept = tail.clone();
        let said = Arc::new(Mutex::new(VecDeque::new()));
        let heard = said.clone();
        // The threads end by themselves once the pipes close, which killing the group sees to.
        thread::spawn(move || write_all(stdin, &outbox));
        thread::spawn(move || read_all(stdout, &inbox));
        thread::spawn(move || {
            drain(stderr, &kept, &heard);
            drop(ended);
        });
        let to_child = Some(to_child);
        Ok(Self { child, to_child, from_child, stderr: tail, said, stderr_ended, farewell })
    }

    /// The whole lines that it wrote on its standard error since this was last asked; of a flood the end.
    pub(crate) fn take_lines(&mut self) -> Vec<String> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(end) = said.iter().rposition(|&byte| byte == b'\n') else { return Vec::new() };
        let bytes: Vec<u8> = said.drain(..=end).collect();
        let text = String::from_utf8_lossy(&bytes);
        text.lines().map(|line| line.trim_end().chars().take(500).collect()).collect()
    }

    /// Sends a message and waits for the answer, `limit_s` for both. After an error the program
    /// must be dropped.
    pub(crate) fn exchange(&mut self, message: Vec<u8>, limit_s: f64) -> Result<Vec<u8>, PolicyError> {
        let limit = Duration::try_from_secs_f64(limit_s).unwrap_or(Duration::from_secs(86_400));
        let deadline = Instant::now() + limit;
        if let Some(to_child) = &self.to_child {
            match to_child.send_deadline(message, deadline) {
                Err(SendTimeoutError::Timeout(_)) => return Err(self.timed_out(limit_s)),
                // The writer found the pipe closed. What the program said last tells more.
                Ok(()) | Err(SendTimeoutError::Disconnected(_)) => {}
            }
        }
        match self.from_child.recv_deadline(deadline) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(gone)) => Err(self.gone(&gone)),
            Err(RecvTimeoutError::Timeout) => Err(self.timed_out(limit_s)),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone(&Gone::Closed)),
        }
    }

    /// Gives up on the program after an answer that made no sense, and adds what it wrote to
    /// standard error.
    pub(crate) fn condemn(&mut self, error: PolicyError) -> PolicyError {
        match error {
            PolicyError::Nonsense { what } => {
                self.end_now();
                PolicyError::Nonsense { what: what + &self.said() }
            }
            other => other,
        }
    }

    /// Whether the program has ended of its own.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    fn timed_out(&mut self, limit_s: f64) -> PolicyError {
        self.end_now();
        PolicyError::TimedOut { limit_s, said: self.said() }
    }

    fn gone(&mut self, gone: &Gone) -> PolicyError {
        if let Gone::TooLong(prefix) = gone {
            let length = u32::from_le_bytes(*prefix);
            let hint = match std::str::from_utf8(prefix) {
                Ok(text) if text.chars().all(|c| !c.is_control() || c.is_whitespace()) => {
                    format!("; the prefix reads {text:?}: does it print to standard output?")
                }
                _ => String::new(),
            };
            self.end_now();
            let what = format!(
                "it claims a message of {length} bytes, at most {MAX_ANSWER_BYTES} are allowed{hint}"
            );
            return PolicyError::Nonsense { what: what + &self.said() };
        }
        let how = match self.wait(FAREWELL) {
            Some(status) => status.to_string(),
            None => "it closed its standard output, but goes on running".into(),
        };
        let during = match gone {
            Gone::CutShort => " inside a message",
            Gone::Failed(_) => " while it was read from",
            Gone::Closed | Gone::TooLong(_) => "",
        };
        self.end_now();
        PolicyError::Crashed { reason: how + during + &self.said() }
    }

    /// The last lines of standard error, ready to follow a reason.
    fn said(&self) -> String {
        // The program is dead: its standard error ends soon, unless something it started and that
        // left its process group holds it.
        let _ = self.stderr_ended.recv_timeout(Duration::from_secs(3));
        let mut tail = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(tail.make_contiguous()).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.is_empty() {
            return String::new();
        }
        let last = &lines[lines.len().saturating_sub(TAIL_LINES)..];
        format!("; its standard error ends with: {}", last.join("\n"))
    }

    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    fn end_now(&mut self) {
        self.farewell.clear();
        self.to_child = None;
        kill(&mut self.child);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let farewell = std::mem::take(&mut self.farewell);
        if !farewell.is_empty() {
            if let Some(to_child) = self.to_child.take() {
                // Closing the pipe afterwards is a farewell too.
                let _ = to_child.send_timeout(farewell, FAREWELL);
            }
            self.wait(FAREWELL);
        }
        kill(&mut self.child);
    }
}

/// Kills the program and what it started, and takes note of its end.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn write_all(mut stdin: ChildStdin, outbox: &Receiver<Vec<u8>>) {
    for message in outbox {
        if write_message(&mut stdin, &message).is_err() {
            return;
        }
    }
}

fn read_all(stdout: ChildStdout, inbox: &Sender<Result<Vec<u8>, Gone>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let message = read_message(&mut stdout, MAX_ANSWER_BYTES);
        let last = message.is_err();
        // A full inbox stops the program from flooding; a closed one ends this thread.
        if inbox.send(message).is_err() || last {
            return;
        }
    }
}

fn drain(mut stderr: ChildStderr, tail: &Mutex<VecDeque<u8>>, said: &Mutex<VecDeque<u8>>) {
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut chunk) {
        for (kept, most) in [(tail, TAIL_BYTES), (said, SAID_BYTES)] {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(&chunk[..count]);
            let surplus = kept.len().saturating_sub(most);
            kept.drain(..surplus);
        }
    }
}
