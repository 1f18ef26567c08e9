mod changes;
mod graphs;
mod policy;
mod runs;
mod worker;
mod world;
