//! What the command does, as whoever types it sees it.

mod cluster;
mod files;
mod refused;
mod world;
