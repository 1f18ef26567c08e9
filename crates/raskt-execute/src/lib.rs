//! Threads that run tasks, the runner trait, the in-process driver.
