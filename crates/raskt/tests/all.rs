//! What a program of a user does with clusters.

mod cluster;
mod example;
