mod changes;
mod graphs;
mod runs;
mod worker;
mod world;
