mod changes;
mod given;
mod graphs;
mod poison;
mod policy;
mod runs;
mod worker;
mod world;
