//! What is asked for and can't be: a sentence that names it, and a status that says that it won't be the next time.

use crate::world::World;

#[test]
fn each_bad_value_is_named_in_a_sentence() {
    let world = World::new();
    let worker = "worker tcp://127.0.0.1:1";
    let mut wrong = vec![];
    for (line, value, word) in [
        ("scheduler --port 70000", "70000", "--port"),
        ("scheduler --port -1", "-1", "not in 0..=65535"),
        ("scheduler --idle-timeout -1", "-1", "length of time"),
        ("scheduler --dashboard-address -1", "-1", "neither a port nor"),
        ("scheduler --idle-timeout 0", "0", "over as it begins"),
        (&format!("{worker} --lifetime 0s"), "0s", "over as it begins"),
        (&format!("{worker} --lifetime 1m --lifetime-stagger 2m"), "120s", "more than `--lifetime 60s`"),
        (&format!("{worker} --name="), "", "--name"),
        ("scheduler --idle-timeout soon", "soon", "length of time"),
        ("scheduler --interface wan77", "wan77", "there are"),
        ("scheduler --host a@b", "", "user, password"),
        ("scheduler --protocol udp", "udp", "tcp, tls"),
        ("scheduler --tls-cert x", "", "--tls-key"),
        ("scheduler --preload mine", "mine", "Python"),
        ("scheduler --pid-file nowhere/x --port 0", "nowhere/x", "pid file"),
        ("scheduler --token-file . --port 0", ".", "regular file"),
        ("scheduler --dashboard-address nowhere", "nowhere", "--dashboard-address"),
        ("worker", "", "--scheduler-file"),
        ("worker 127.0.0.1:8786", "", "tls://host:8786"),
        ("worker tcp://me:hunter2@host:1", "", "tokens are given as files"),
        ("tls://me:hunter2@host:1", "tls://…", "unrecognized subcommand"),
        ("worker tcp://10.0.0.1:8786", "10.0.0.1", "tls://"),
        ("worker tls://10.0.0.1:8786", "10.0.0.1", "raskt certs"),
        (&format!("{worker} --nthreads 0"), "0", "number of threads"),
        (&format!("{worker} --nthreads many"), "many", "number of threads"),
        (&format!("{worker} --nthreads -1"), "-1", "number of threads"),
        (&format!("{worker} --nworkers 0"), "0", "number of workers"),
        (&format!("{worker} --memory-limit much"), "much", "16GiB"),
        (&format!("{worker} --memory-limit 100"), "100", "too little"),
        (&format!("{worker} --memory-limit -5"), "-5", "memory limit"),
        (&format!("{worker} --resources GPU"), "GPU", "GPU=1"),
        (&format!("{worker} --resources -1"), "-1", "GPU=1"),
        (&format!("{worker} --worker-port -1"), "-1", "9000:9010"),
        (&format!("{worker} --dashboard-address -1"), "-1", "neither a port nor"),
        (&format!("{worker} --worker-port 9:8"), "9:8", "9000:9010"),
        (&format!("{worker} --worker-port 9000:9001 --nworkers 3"), "9000:9001", "fewer ports"),
        (&format!("{worker} --listen-address tcp://0.0.0.0:0"), "0.0.0.0", "raskt certs"),
        (&format!("{worker} --host 0.0.0.0"), "0.0.0.0", "raskt certs"),
        (&format!("{worker} --contact-address nowhere"), "nowhere", "tcp://"),
        (&format!("{worker} --death-timeout=-1"), "-1", "length of time"),
        (&format!("{worker} --death-timeout -1s"), "-1s", "length of time"),
        (&format!("{worker} --lifetime -1"), "-1", "length of time"),
        (&format!("{worker} --lifetime 1h --lifetime-stagger -1"), "-1", "length of time"),
        (&format!("{worker} --lifetime 1fortnight"), "1fortnight", "length of time"),
        (&format!("{worker} --lifetime-restart"), "", "--lifetime"),
        (&format!("{worker} --lifetime 1h --lifetime-restart --no-nanny"), "", "--no-nanny"),
        (&format!("{worker} --no-nanny --nworkers 2"), "2", "--no-nanny"),
        (&format!("{worker} --no-nanny --preload mine"), "mine", "Python"),
        (&format!("{worker} --local-directory /proc/nowhere"), "/proc/nowhere", "can't be used"),
        (&format!("{worker} --token-file nowhere"), "nowhere", "no token file"),
        (&format!("{worker} --scheduler-file s.json"), "", "cannot be used with"),
        ("status tcp://127.0.0.1:1 --timeout never", "never", "length of time"),
        ("status tcp://127.0.0.1:1 --timeout -1", "-1", "length of time"),
        ("certs", "", "DIR"),
        ("certs c --days -1", "-1", "not in 1..=36500"),
        ("certs c --host a,b", "a,b", "a host is a name"),
        ("certs c --host -1", "-1", "a host is a name"),
        ("certs c --days 0", "0", "--days"),
        ("config get memory.limt", "memory.limt", "memory.limit"),
        ("config set memory.limit lots", "lots", "memory.limit"),
        ("spec --spec 5", "", "list"),
        ("spec --spec-file nowhere.yaml", "nowhere.yaml", "can't be read"),
        ("ssh node1", "", "raskt certs"),
        ("ssh node1 --scheduler-port -1", "-1", "not in 0..=65535"),
        ("ssh node1 --nthreads -1", "-1", "not in 0..="),
        ("ssh node1 --memory-limit -5", "-5", "memory limit"),
        ("ssh node1 --ssh-port -1", "-1", "not in 0..=65535"),
        ("ssh --hostfile nowhere", "nowhere", "can't be read"),
        ("logs", "", "which scheduler is meant"),
        ("logs --lines many", "many", "invalid value"),
        ("logs --lines -1", "-1", "invalid value"),
        ("frobnicate", "frobnicate", "unrecognized subcommand"),
    ] {
        // The token is that of a scheduler that was there once; none of these gets as far as to look for one.
        let _ = std::fs::create_dir_all(world.path("config/raskt"));
        if !world.token_file().exists() {
            raskt_cluster::Token::random().unwrap().create(&world.token_file()).unwrap();
        }
        let (status, told) = world.refused(line);
        let is_short = told.lines().filter(|line| !line.is_empty()).count() <= 6;
        let is_told =
            told.contains(value) && told.contains(word) && !told.contains("hunter2") && !told.contains("panicked");
        if status != 2 || !is_told || !is_short {
            wrong.push(format!("{line}: {status}: {told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_host_of_certificates_is_one_word() {
    let world = World::new();
    let told = world.command(["certs", "c", "--host", "a b"]).output().unwrap();
    let said = String::from_utf8(told.stderr).unwrap();
    assert!(told.status.code() == Some(2) && said.contains("'a b'") && said.contains("a host is a name"), "{said}");
    assert!(!world.path("c").exists());
    assert!(world.run("certs c --host node-3.example.org --host ::1").status.success());
}

#[test]
fn what_others_could_reach_is_refused_with_the_way_out() {
    let world = World::new();
    let (status, told) = world.refused("scheduler --host 0.0.0.0 --port 0");
    assert_eq!(status, 2, "{told}");
    assert!(told.contains("raskt certs") && told.contains("tcp://127.0.0.1"), "{told}");
    assert!(world.run("certs c").status.success());
    let (status, told) = world.refused("scheduler --host 0.0.0.0 --port 0 --protocol tls --tls-ca-file c/ca.pem");
    assert!(status == 2 && told.contains("needs a certificate"), "{told}");
}

#[test]
fn help_has_examples() {
    let world = World::new();
    for command in ["scheduler", "worker", "ssh", "spec", "certs", "status", "logs", "config"] {
        let help = world.run(&format!("{command} --help"));
        let text = String::from_utf8(help.stdout).unwrap();
        assert!(help.status.success() && text.contains("Example"), "{command}: {text}");
    }
}
