//! Files: whose they are, what is written over, what stays.

use crate::world::*;

#[test]
fn a_token_is_made_once_and_is_its_owners_alone() {
    let world = World::new();
    let first = world.scheduler("");
    assert_eq!(first.known("token-file"), world.token_file().display().to_string());
    assert_eq!(mode(&world.token_file()), 0o600);
    assert_eq!(mode(world.token_file().parent().unwrap()), 0o700);
    let token = std::fs::read_to_string(world.token_file()).unwrap();
    let arguments = std::fs::read(format!("/proc/{}/cmdline", first.id())).unwrap();
    let secret = token.split_whitespace().last().unwrap();
    assert!(!String::from_utf8_lossy(&arguments).contains(secret));
    let _second = world.start("scheduler --port 0").fact("ready");
    assert_eq!(std::fs::read_to_string(world.token_file()).unwrap(), token);
    std::fs::set_permissions(world.token_file(), std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let (status, told) = world.refused("scheduler --port 0");
    assert!(status == 2 && told.contains("chmod 600"), "{told}");
}

#[test]
fn a_scheduler_file_that_others_may_write_to_is_not_believed() {
    let world = World::new();
    let _scheduler = world.scheduler("");
    std::fs::set_permissions(world.path("s.json"), std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    let (status, told) = world.refused("status --scheduler-file s.json");
    assert!(status == 2 && told.contains("others may write"), "{told}");
}

#[test]
fn certificates_are_not_written_over_unless_that_is_wanted() {
    let world = World::new();
    assert!(world.run("certs deep/c").status.success());
    for name in ["ca", "client", "worker", "scheduler", "viewer"] {
        for file in [format!("deep/c/{name}.pem"), format!("deep/c/{name}-key.pem")] {
            assert_eq!(mode(&world.path(&file)), 0o600, "{file}");
        }
    }
    let before = std::fs::read(world.path("deep/c/worker.pem")).unwrap();
    let (status, told) = world.refused("certs deep/c");
    assert!(status == 2 && told.contains("--force"), "{told}");
    assert_eq!(std::fs::read(world.path("deep/c/worker.pem")).unwrap(), before);
    assert!(world.run("certs deep/c --force").status.success());
    assert_ne!(std::fs::read(world.path("deep/c/worker.pem")).unwrap(), before);
}

#[test]
fn settings_are_shown_found_and_changed() {
    let world = World::new();
    let text = |line: &str| String::from_utf8(world.run(line).stdout).unwrap();
    assert_eq!(text("config get array.chunk-size").trim(), "16777216");
    let (status, told) = world.refused("config find array.chunk-size");
    assert!(status == 1 && told.contains("no file"), "{told}");
    assert!(text("config set array.chunk_size 64MiB").contains("array.chunk-size"));
    let file = world.path("config/raskt/raskt.yaml");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "array.chunk-size: 64MiB\n");
    assert_eq!(text("config get array.chunk-size").trim(), "67108864");
    assert!(text("config find array.chunk-size").contains("raskt.yaml, line 1: array.chunk-size"));
    assert!(text("config list").contains("raskt.yaml, line 1") && text("config list").contains("# default"));
    // What wins all the same is told.
    let mut command = world.command("config set array.chunk-size 32MiB".split(' '));
    let told = command.env("RASKT_ARRAY__CHUNK_SIZE", "8MiB").output().unwrap();
    assert!(String::from_utf8(told.stderr).unwrap().contains("variable RASKT_ARRAY__CHUNK_SIZE"));
    // Other programs may have settings there, but whoever has mistaken a name hears of it.
    let told = |line: &str| String::from_utf8(world.run(line).stderr).unwrap();
    assert!(told("config set nope.x 5").contains("`nope.x` is no setting of raskt's"));
    assert_eq!(text("config get nope.x").trim(), "5");
    assert!(!told("config set progress.width 50").contains("no setting"));
    assert!(text("version").contains(&format!("raskt: {}", env!("CARGO_PKG_VERSION"))));
    assert!(text("--version").contains(env!("CARGO_PKG_VERSION")));
}
