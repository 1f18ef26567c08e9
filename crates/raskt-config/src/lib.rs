//! Typed settings: defaults, YAML file, environment, code.
