//! A process that holds memory for others to read.

use super::super::reading::Lent;
use super::{BYTES, noise};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const IS_LENDER: &str = "RASKT_TEST_LENDER";
const PROOF: [u8; 16] = *b"0123456789abcdef";

/// The other process.
pub struct Lender {
    pub process: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub lent: Lent,
}

impl Lender {
    pub fn start() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "--nocapture", "bulk::tests::lender::lender_process"]).env(IS_LENDER, "1");
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (orders, answers) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let lent = Lent { proof: PROOF, proof_at: 0, pieces: vec![] };
        let mut lender = Self { process, orders, answers: BufReader::new(answers), lent };
        let said = lender.hear();
        let addresses: Vec<u64> = said.split(' ').map(|number| number.parse().unwrap()).collect();
        lender.lent.proof_at = addresses[0];
        lender.lent.pieces = vec![(addresses[1], BYTES as u64), (addresses[1] + 3, 100)];
        lender
    }

    fn hear(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(self.answers.read_line(&mut line).unwrap() > 0, "the lender has ended");
            if let Some((_, said)) = line.split_once("LENDER ") {
                return said.trim().to_owned();
            }
        }
    }

    /// Nobody but the administrator may look into it from now on.
    pub fn hide(&mut self) {
        self.orders.write_all(b"hide\n").unwrap();
        assert_eq!(self.hear(), "is hidden");
    }

    /// It has ended when this returns.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Lender {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Is such a process, where it is called as one.
#[test]
fn lender_process() {
    if std::env::var_os(IS_LENDER).is_none() {
        return;
    }
    let (proof, bytes) = (Box::new(PROOF), noise(1, BYTES));
    println!("LENDER {} {}", (&raw const *proof).expose_provenance(), bytes.as_ptr().expose_provenance());
    for _ in std::io::stdin().lines() {
        // SAFETY: it changes who may look into this process, and nothing else.
        assert_eq!(unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) }, 0);
        println!("LENDER is hidden");
    }
}
