//! The command lines that `ssh` is called with. What the shell over there reads is quoted, word by word.

use super::options::Options;
use crate::failure::Failure;
use crate::values::WorkerCount;
use raskt_cluster::Address;
use std::ffi::OsString;

/// What is run where.
pub(super) struct Remote<'a> {
    options: &'a Options,
    scheduler: String,
    /// The hosts of workers.
    pub workers: Vec<String>,
}

/// Hosts, at most.
const HOSTS_MAX: usize = 4096;
/// How often a connection is tried for signs of life, in seconds; without three of them it is over.
const ALIVE_SECONDS: u32 = 15;

impl<'a> Remote<'a> {
    pub fn new(options: &'a Options) -> Result<Self, Failure> {
        let mut workers = options.hosts.clone();
        if let Some(file) = &options.hostfile {
            let text = std::fs::read_to_string(file);
            let text = text.map_err(|error| Failure::usage(format!("`{}` can't be read: {error}", file.display())))?;
            let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
            workers.extend(lines.filter(|line| !line.is_empty()).map(String::from));
        }
        let first = options.scheduler.clone().or_else(|| workers.first().cloned());
        let scheduler = first.ok_or_else(|| Failure::usage("there is no host to start anything on"))?;
        if workers.len() > HOSTS_MAX {
            return Err(Failure::usage(format!("there are {} hosts, and may be {HOSTS_MAX}", workers.len())));
        }
        for host in workers.iter().chain([&scheduler]) {
            check_host(host)?;
        }
        let is_here = |host: &String| host == "localhost" || host == "127.0.0.1";
        if options.tls_directory.is_none() && !workers.iter().chain([&scheduler]).all(is_here) {
            return Err(Failure::usage(
                "hosts speak with each other by TLS: make certificates by `raskt certs DIR`, copy them to each host, and name the \
                 folder there by `--tls-directory`",
            ));
        }
        Ok(Self { options, scheduler, workers })
    }

    /// How the scheduler is started.
    pub fn scheduler(&self) -> Vec<OsString> {
        let mut words = self.program();
        words.extend(["scheduler".into(), "--until-input-closes".into()]);
        words.push(format!("--port={}", self.options.scheduler_port));
        if self.options.tls_directory.is_some() {
            words.push("--host=0.0.0.0".into());
        }
        words.extend(self.certificates("scheduler"));
        self.at(&self.scheduler, &words)
    }

    /// How the workers of one host are.
    pub fn worker(&self, at: usize, scheduler: &Address) -> Vec<OsString> {
        let options = self.options;
        let mut words = self.program();
        words.extend(["worker".into(), "--until-input-closes".into(), format!("--name={}-{at}", self.workers[at])]);
        words.extend(options.nthreads.map(|threads| format!("--nthreads={threads}")));
        words.push(match options.nworkers {
            WorkerCount::Auto => "--nworkers=auto".into(),
            WorkerCount::Count(count) => format!("--nworkers={count}"),
            WorkerCount::FromEnd(count) => format!("--nworkers=-{count}"),
        });
        words.extend(options.memory_limit.map(|limit| format!("--memory-limit={limit}")));
        words.extend(options.local_directory.as_ref().map(|folder| format!("--local-directory={folder}")));
        words.extend(self.certificates("worker"));
        words.push(scheduler.to_string());
        self.at(&self.workers[at], &words)
    }

    fn program(&self) -> Vec<String> {
        match &self.options.remote_python {
            Some(python) => vec![python.clone(), "-m".into(), "raskt".into()],
            None => vec![self.options.remote_command.clone()],
        }
    }

    fn certificates(&self, role: &str) -> Vec<String> {
        let Some(folder) = &self.options.tls_directory else { return vec![] };
        let folder = folder.trim_end_matches('/');
        vec![
            format!("--tls-ca-file={folder}/ca.pem"),
            format!("--tls-cert={folder}/{role}.pem"),
            format!("--tls-key={folder}/{role}-key.pem"),
        ]
    }

    /// The words, run on a host.
    fn at(&self, host: &str, words: &[String]) -> Vec<OsString> {
        let options = self.options;
        let mut command: Vec<OsString> = vec![options.ssh_program.clone().into()];
        for option in ["BatchMode=yes".to_owned(), format!("ServerAliveInterval={ALIVE_SECONDS}")] {
            command.extend(["-o".into(), option.into()]);
        }
        if let Some(name) = &options.ssh_username {
            command.extend(["-l".into(), name.into()]);
        }
        if let Some(port) = options.ssh_port {
            command.extend(["-p".into(), port.to_string().into()]);
        }
        if let Some(key) = &options.ssh_private_key {
            command.extend(["-i".into(), key.into()]);
        }
        let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        // The shell over there makes room for the command, so that it hears of the end itself.
        command.extend(["--".into(), host.into(), format!("exec {}", words.join(" ")).into()]);
        command
    }
}

fn check_host(host: &str) -> Result<(), Failure> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-._@:[]%".contains(char);
    if !host.is_empty() && !host.starts_with('-') && host.chars().all(is_plain) {
        return Ok(());
    }
    Err(Failure::usage(format!("{host:?} is no host: give names or numbers, as `ssh` knows them")))
}

/// A word that a shell reads as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Arguments, Command};
    use clap::Parser;
    use proptest::prelude::*;

    fn options(words: &[&str]) -> Options {
        let all = ["raskt", "ssh"].iter().chain(words);
        match Arguments::try_parse_from(all).unwrap().command {
            Command::Ssh(options) => options,
            other => panic!("{other:?}"),
        }
    }

    fn last(command: &[OsString]) -> String {
        command.last().unwrap().to_string_lossy().into_owned()
    }

    #[test]
    fn hosts_get_their_commands_quoted() {
        let options = options(&[
            "node1",
            "node2",
            "--tls-directory",
            "/my certs/",
            "--nthreads",
            "2",
            "--memory-limit",
            "2GiB",
            "--remote-python",
            "/opt/o'brien/python",
            "--ssh-port",
            "22",
        ]);
        let remote = Remote::new(&options).unwrap();
        let scheduler = remote.scheduler();
        assert_eq!(scheduler[..1], ["ssh"]);
        assert_eq!(scheduler[scheduler.len() - 3..scheduler.len() - 1], ["--", "node1"]);
        assert!(
            last(&scheduler).starts_with(r"exec '/opt/o'\''brien/python' '-m' 'raskt' 'scheduler' "),
            "{scheduler:?}"
        );
        let worker = last(&remote.worker(1, &"tls://10.0.0.1:8786".parse().unwrap()));
        for part in [
            "'--tls-cert=/my certs/worker.pem'",
            "'--name=node2-1'",
            "'--memory-limit=2147483648'",
            "'tls://10.0.0.1:8786'",
        ] {
            assert!(worker.contains(part), "{worker}");
        }
    }

    #[test]
    fn hosts_that_ssh_would_take_for_options_and_open_networks_are_refused() {
        let wrong = |words: &[&str]| Remote::new(&options(words)).err().map(|failure| failure.to_string());
        assert!(wrong(&["a b"]).unwrap().contains("no host"));
        assert!(wrong(&["a;b"]).unwrap().contains("no host"));
        assert!(wrong(&["localhost", "--scheduler=-oProxyCommand=x"]).unwrap().contains("no host"));
        assert!(wrong(&["node1"]).unwrap().contains("raskt certs"));
        assert_eq!(wrong(&["localhost"]), None);
    }

    proptest! {
        #[test]
        fn a_shell_reads_what_was_meant(words in proptest::collection::vec("[ -~]{0,12}", 1..4)) {
            let line: Vec<_> = words.iter().map(|word| quoted(word)).collect();
            let script = format!("printf '%s\\0' {}", line.join(" "));
            let read = std::process::Command::new("/bin/sh").arg("-c").arg(script).output().unwrap().stdout;
            let read: Vec<_> = read.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
            prop_assert_eq!(&read[..read.len() - 1], &words[..]);
        }
    }
}
