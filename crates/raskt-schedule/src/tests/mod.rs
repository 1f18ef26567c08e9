mod changes;
mod graphs;
mod poison;
mod policy;
mod runs;
mod worker;
mod world;
