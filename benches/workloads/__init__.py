"""The workloads: a module each, with the cases in `CASES`."""
