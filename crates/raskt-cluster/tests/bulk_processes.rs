//! Results of another process.

use crate::world::{PATIENCE, lies_in_a_file, network};
use bytes::Bytes;
use raskt_cluster::bulk::{Fetch, Fetcher, Part, Piece, Provide, Reply, Source};
use raskt_cluster::hello::Role;
use raskt_cluster::session::Limits;
use raskt_cluster::testing::{Chance, give_up_sight};
use raskt_cluster::{Network, Security, Token};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const FOLDER: &str = "RASKT_TEST_FOLDER";
const IS_HIDDEN: &str = "RASKT_TEST_HIDDEN";
const BYTES: usize = (20 << 20) + 5;

fn noise() -> Bytes {
    let mut chance = Chance::new(11);
    (0..BYTES.div_ceil(8)).flat_map(|_| chance.next_number().to_le_bytes()).take(BYTES).collect::<Vec<u8>>().into()
}

struct Shelf(Bytes);

impl Provide for Shelf {
    fn provide(&self, _: &[u8], reply: Reply) {
        reply.give(vec![Piece::Own(self.0.clone())]);
    }
}

fn security(folder: &Path) -> Security {
    Security { token: Some(Token::read(&folder.join("token")).unwrap()), tls: None }
}

fn address(folder: &Path) -> String {
    format!("unix://{}/bulk", folder.display())
}

/// Is the process of the giver, where it is called as such.
#[test]
fn giver_process() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    if std::env::var_os(IS_HIDDEN).is_some() {
        // SAFETY: it changes who may look into this process, and nothing else.
        assert_eq!(unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) }, 0);
    }
    let network = network(Role::Worker, security(&folder), Limits::default());
    let shelf = Arc::new(Shelf(noise()));
    let _giving = network.serve_results(&address(&folder).parse().unwrap(), &[Role::Worker], shelf).unwrap();
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

struct Scene {
    folder: tempfile::TempDir,
    giver: Child,
}

impl Scene {
    fn new(is_hidden: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Token::random().unwrap().create(&folder.path().join("token")).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "bulk_processes::giver_process"]).env(FOLDER, folder.path());
        if is_hidden {
            command.env(IS_HIDDEN, "1");
        }
        let giver = command.stdout(Stdio::null()).stdin(Stdio::null()).spawn().unwrap();
        let scene = Self { folder, giver };
        let start = std::time::Instant::now();
        while !scene.folder.path().join("bulk").exists() {
            assert!(start.elapsed() < PATIENCE, "the giver doesn't start");
            std::thread::sleep(Duration::from_millis(2));
        }
        scene
    }

    fn fetcher(&self) -> (Network, Fetcher) {
        let network = network(Role::Worker, security(self.folder.path()), Limits::default());
        let fetcher = network.fetcher();
        (network, fetcher)
    }

    fn fetch(&self, fetcher: &Fetcher, parts: Vec<Part>) -> Vec<Bytes> {
        let source = Source {
            addresses: vec![address(self.folder.path()).parse().unwrap()],
            role: Role::Worker,
            identity: None,
        };
        let fetch = Fetch { result: b"x".to_vec(), parts, reserved: 1 << 30 };
        fetcher.fetch_and_wait(&source, fetch).unwrap()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = self.giver.kill();
        let _ = self.giver.wait();
    }
}

#[test]
fn memory_of_another_process_is_read() {
    let (scene, wanted) = (Scene::new(false), noise());
    let (_network, fetcher) = scene.fetcher();
    let came = scene.fetch(&fetcher, vec![]);
    assert!(came == [wanted.clone()] && !lies_in_a_file(&came[0]));
    let mut chance = Chance::new(4);
    for _ in 0..40 {
        let mut part = || {
            let offset = chance.below(BYTES as u64);
            Part { piece: 0, offset, bytes: chance.below(BYTES as u64 - offset + 1) }
        };
        let parts = vec![part(), part(), part()];
        let cut = |part: &Part| wanted.slice(part.offset as usize..(part.offset + part.bytes) as usize);
        let expected: Vec<_> = parts.iter().map(cut).collect();
        assert!(scene.fetch(&fetcher, parts) == expected);
    }
}

#[test]
fn who_may_not_look_into_the_other_process_is_handed_what_it_has() {
    let scene = Scene::new(true);
    // Rights belong to threads: those of the network have what this one has.
    let fetched = std::thread::spawn(move || {
        give_up_sight();
        let (_network, fetcher) = scene.fetcher();
        (0..2).map(|_| scene.fetch(&fetcher, vec![])).collect::<Vec<_>>()
    });
    for came in fetched.join().unwrap() {
        assert!(came == [noise()] && lies_in_a_file(&came[0]));
    }
}
