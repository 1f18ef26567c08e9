//! The example of a cluster runs to its end.

#[path = "../examples/cluster.rs"]
#[allow(dead_code, reason = "its `main` reads the arguments of a program of its own")]
mod cluster;

#[test]
fn the_example_of_a_cluster_runs() {
    cluster::local(&cluster::functions()).unwrap();
}
