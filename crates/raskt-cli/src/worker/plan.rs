//! What each worker of a command is: its name, threads, memory and where it listens.

use super::options::Options;
use crate::contact::{Protocol, host_name, listening_host, outward_host, parse_address};
use crate::failure::Failure;
use crate::values::{Ports, write_duration};
use raskt_cluster::Address;
use std::ffi::OsString;
use std::net::IpAddr;

/// One worker.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// What people call it.
    pub name: String,
    /// Threads that run tasks.
    pub threads: usize,
    /// Bytes that it may hold; nothing is no limit.
    pub memory: Option<u64>,
    /// Which of the ports it tries first.
    pub at: usize,
}

/// The workers that the options ask for.
pub(super) fn plans(options: &Options) -> Result<Vec<Plan>, Failure> {
    let (count, usual) =
        options.nworkers.on(raskt_store::processors()).map_err(|why| Failure::usage(format!("`--nworkers`: {why}")))?;
    let threads = options.nthreads.unwrap_or(usual);
    let several = |option: &str| {
        Failure::usage(format!("{count} workers can't share one `{option}`: give `--worker-port` a range"))
    };
    if !options.worker_port.suffice_for(count) {
        let ports = options.worker_port;
        return Err(Failure::usage(format!(
            "`--worker-port {ports}` has fewer ports than there are workers ({count})"
        )));
    }
    if count > 1 {
        let is_one = |address: &Address| address.clone().with_port(0) != *address || address.host().is_none();
        if options.listen_address.as_ref().is_some_and(is_one) {
            return Err(several("--listen-address"));
        }
        if options.contact_address.is_some() {
            return Err(several("--contact-address"));
        }
    }
    if let (Some(lifetime), Some(stagger)) = (options.lifetime, options.lifetime_stagger)
        && stagger > lifetime
    {
        let (stagger, lifetime) = (write_duration(stagger), write_duration(lifetime));
        return Err(Failure::usage(format!("`--lifetime-stagger {stagger}` is more than `--lifetime {lifetime}`")));
    }
    if options.name.as_ref().is_some_and(|name| name.trim().is_empty()) {
        return Err(Failure::usage("`--name` is empty: a worker is named by it, so that it can't be"));
    }
    let name = options.name.clone().unwrap_or_else(|| format!("{}-{}", host_name(), std::process::id()));
    let named = |at: usize| if count == 1 { name.clone() } else { format!("{name}-{at}") };
    let memory = options.memory_limit.bytes(threads, count);
    Ok((0..count).map(|at| Plan { name: named(at), threads, memory, at }).collect())
}

/// Where a worker listens, in the order in which it tries.
pub(super) fn listening(options: &Options, plan: &Plan, scheduler: &Address) -> Result<Vec<Address>, Failure> {
    if let Some(address) = &options.listen_address {
        return Ok(vec![address.clone()]);
    }
    let host = listening_host(options.host.as_deref(), options.interface.as_deref())?;
    if let (Address::Unix(path), None, None) = (scheduler, options.protocol, &host) {
        // A socket beside the scheduler's. It is nobody's but this process's.
        let own = path.with_file_name(format!("raskt-worker-{}-{}.sock", std::process::id(), plan.at));
        let address = format!("unix://{}", own.display());
        return Ok(vec![parse_address(&address).map_err(|error| Failure::usage(format!("`{address}`: {error}")))?]);
    }
    let protocol = options.protocol.unwrap_or(match scheduler {
        Address::Tls { .. } => Protocol::Tls,
        Address::Tcp { .. } | Address::Unix(_) => Protocol::Tcp,
    });
    let host = host.unwrap_or_else(|| usual_host(scheduler));
    let address = protocol.address(host, 0);
    let address: Address = address.to_string().parse().map_err(Failure::usage)?;
    Ok(options.worker_port.from(plan.at).map(|port| address.clone().with_port(port)).collect())
}

/// The number by which this host reaches the scheduler is the one by which that host's workers reach this one.
fn usual_host(scheduler: &Address) -> String {
    let outward = match scheduler {
        Address::Tcp { host, port } | Address::Tls { host, port } => outward_host(host, *port),
        Address::Unix(_) => None,
    };
    outward.unwrap_or_else(|| "127.0.0.1".into())
}

/// Where others reach a worker that listens there; nothing if it is just there.
pub(super) fn contact(options: &Options, listening: &Address) -> Result<Option<Address>, Failure> {
    let port = |address: &Address| match address {
        Address::Tcp { port, .. } | Address::Tls { port, .. } => Some(*port),
        Address::Unix(_) => None,
    };
    let is_all = |address: &Address| {
        address.host().and_then(|host| host.parse::<IpAddr>().ok()).is_some_and(|host| host.is_unspecified())
    };
    match &options.contact_address {
        Some(contact) if port(contact) == Some(0) => Err(Failure::usage(format!(
            "`--contact-address {contact}` needs the port by which others reach this worker"
        ))),
        Some(contact) if is_all(contact) => {
            Err(Failure::usage(format!("`--contact-address {contact}` is no address that others can reach")))
        }
        Some(contact) => Ok(Some(contact.clone())),
        None if is_all(listening) => Err(Failure::usage(format!(
            "a worker at `{listening}` doesn't know where others reach it: give `--contact-address`, or a `--host` that is one address"
        ))),
        None => Ok(None),
    }
}

/// The arguments of a process that is one of these workers.
pub(super) fn command_line(options: &Options, plan: &Plan) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["worker".into(), "--no-nanny".into()];
    let mut option = |name: &str, value: Option<OsString>| {
        if let Some(mut value) = value {
            // In one word: what follows may begin with a hyphen.
            let mut word = OsString::from(format!("{name}="));
            word.push(std::mem::take(&mut value));
            arguments.push(word);
        }
    };
    let text = |value: &dyn std::fmt::Display| Some(OsString::from(value.to_string()));
    let memory = plan.memory.map_or_else(|| "0".to_owned(), |bytes| bytes.to_string());
    option("--name", text(&plan.name));
    option("--nthreads", text(&plan.threads));
    option("--memory-limit", text(&memory));
    option("--resources", text(&options.resources).filter(|_| !options.resources.0.is_empty()));
    option("--local-directory", options.local_directory.clone().map(Into::into));
    option("--scheduler-file", options.scheduler_file.clone().map(Into::into));
    option("--host", options.host.clone().map(Into::into));
    option("--interface", options.interface.clone().map(Into::into));
    option("--protocol", options.protocol.and_then(|it| text(&format!("{it:?}").to_lowercase())));
    option("--listen-address", options.listen_address.as_ref().and_then(|it| text(it)));
    option("--contact-address", options.contact_address.as_ref().and_then(|it| text(it)));
    option("--death-timeout", options.death_timeout.and_then(|it| text(&write_duration(it))));
    option("--lifetime", options.lifetime.and_then(|it| text(&write_duration(it))));
    option("--lifetime-stagger", options.lifetime_stagger.and_then(|it| text(&write_duration(it))));
    option("--dashboard-address", options.dashboard_address.and_then(|it| text(&it)));
    if options.listen_address.is_none() && options.worker_port != Ports::ANY {
        option("--worker-port", text(&options.worker_port));
    }
    options.preload.iter().for_each(|module| option("--preload", text(module)));
    if options.lifetime_restart {
        arguments.push("--is-renewed".into());
    }
    options.security.write(&mut arguments);
    arguments.extend(options.scheduler.as_ref().map(|address| OsString::from(address.to_string())));
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Arguments, Command};
    use crate::values::MemoryLimit;
    use clap::Parser;

    fn parse(arguments: impl IntoIterator<Item = OsString>) -> Options {
        let whole = [OsString::from("raskt")].into_iter().chain(arguments);
        match Arguments::try_parse_from(whole).unwrap_or_else(|error| panic!("{error}")).command {
            Command::Worker(options) => *options,
            other => panic!("{other:?}"),
        }
    }

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(Into::into).collect()
    }

    #[test]
    fn what_a_nanny_tells_her_worker_is_what_she_was_told() {
        for text in [
            "worker tcp://127.0.0.1:8786",
            "worker tls://[::1]:1 --nthreads 3 --memory-limit 16GiB --resources GPU=1,MEM=2.5 --name -odd --host -x",
            "worker --scheduler-file /a/b.json --local-directory /scratch --interface lo --protocol tls --worker-port 9000:9010",
            "worker unix:///s --listen-address tcp://127.0.0.1:5 --contact-address tcp://127.0.0.1:6 --preload a --preload b.py",
            "worker tcp://h:1 --death-timeout 90s --lifetime 1h --lifetime-stagger 5m --lifetime-restart --memory-limit 0",
            "worker tcp://h:1 --token-file /t --tls-ca-file /c --tls-cert /d --tls-key /e",
        ] {
            let options = parse(words(&text.replace("--name -odd", "--name=-odd").replace("--host -x", "--host=-x")));
            let plan = plans(&options).unwrap().remove(0);
            let told = parse(command_line(&options, &plan));
            let expected = Options {
                name: Some(plan.name.clone()),
                nthreads: Some(plan.threads),
                memory_limit: plan.memory.map_or(MemoryLimit::None, MemoryLimit::Bytes),
                no_nanny: true,
                is_renewed: options.lifetime_restart,
                lifetime_restart: false,
                ..options
            };
            assert_eq!(told, expected, "{text}");
        }
    }

    #[test]
    fn several_workers_have_names_and_ports_of_their_own() {
        let options =
            parse(words("worker tcp://127.0.0.1:8786 --nworkers 3 --name w --worker-port 9000:9002 --nthreads 2"));
        let all = plans(&options).unwrap();
        assert_eq!(all.iter().map(|plan| &*plan.name).collect::<Vec<_>>(), ["w-0", "w-1", "w-2"]);
        let scheduler = options.scheduler.clone().unwrap();
        let first = |plan| listening(&options, plan, &scheduler).unwrap()[0].to_string();
        assert_eq!(first(&all[0]), "tcp://127.0.0.1:9000");
        assert_eq!(first(&all[2]), "tcp://127.0.0.1:9002");
        for bad in
            ["--worker-port 9000:9001", "--listen-address tcp://127.0.0.1:9", "--contact-address tcp://127.0.0.1:9"]
        {
            let options = parse(words(&format!("worker tcp://127.0.0.1:8786 --nworkers 3 {bad}")));
            assert!(plans(&options).unwrap_err().to_string().contains("--worker-port"), "{bad}");
        }
    }

    #[test]
    fn who_listens_everywhere_has_to_say_where_he_is() {
        let options = parse(words("worker tls://10.0.0.1:8786 --host 0.0.0.0"));
        let listens: Address = "tls://0.0.0.0:0".parse().unwrap();
        assert!(contact(&options, &listens).unwrap_err().to_string().contains("--contact-address"));
        let one = "tls://10.0.0.2:0".parse().unwrap();
        assert_eq!(contact(&options, &one).unwrap(), None);
        let options = parse(words("worker tls://10.0.0.1:8786 --host 0.0.0.0 --contact-address tls://10.9.9.9:77"));
        assert_eq!(contact(&options, &listens).unwrap(), options.contact_address);
    }
}
