//! Measures as text of Prometheus.

use std::fmt::{Display, Write};

/// Measures, written out one after the other.
#[derive(Debug, Default)]
pub struct Text(String);

impl Text {
    /// Something that only grows.
    pub fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, help, "counter");
        self.line(name, &[], value);
    }

    /// Something that comes and goes.
    pub fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, help, "gauge");
        self.line(name, &[], value);
    }

    /// The same of several.
    pub fn gauges<V: Display>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        each: impl IntoIterator<Item = (String, V)>,
    ) {
        self.family(name, help, "gauge");
        each.into_iter().for_each(|(of, value)| self.line(name, &[(label, of.as_str())], value));
    }

    /// How often something took how long: counts up to bounds in seconds, each with those before it; and the sum in seconds.
    pub fn histogram(&mut self, name: &str, help: &str, buckets: &[(f64, u64)], count: u64, sum: f64) {
        self.family(name, help, "histogram");
        let bucket = format!("{name}_bucket");
        buckets.iter().for_each(|(bound, count)| self.line(&bucket, &[("le", bound.to_string().as_str())], count));
        self.line(&bucket, &[("le", "+Inf")], count);
        self.line(&format!("{name}_sum"), &[], sum);
        self.line(&format!("{name}_count"), &[], count);
    }

    /// All of it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn family(&mut self, name: &str, help: &str, kind: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (at, (label, of)) in labels.iter().enumerate() {
            let before = if at == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{before}{label}=\"{}\"", escaped(of));
        }
        let _ = writeln!(self.0, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }
}

/// What others have named may have anything in it.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_written_as_prometheus_reads_them() {
        let mut text = Text::default();
        text.counter("a_total", "All of it.", 3);
        text.gauges("b", "Each.", "worker", [("x\"y\n\\".to_owned(), 1.5)]);
        text.histogram("c_seconds", "Times.", &[(0.1, 1), (1.0, 2)], 3, 4.5);
        let expected = "# HELP a_total All of it.\n# TYPE a_total counter\na_total 3\n\
            # HELP b Each.\n# TYPE b gauge\nb{worker=\"x\\\"y\\n\\\\\"} 1.5\n\
            # HELP c_seconds Times.\n# TYPE c_seconds histogram\nc_seconds_bucket{le=\"0.1\"} 1\nc_seconds_bucket{le=\"1\"} 2\n\
            c_seconds_bucket{le=\"+Inf\"} 3\nc_seconds_sum 4.5\nc_seconds_count 3\n";
        assert_eq!(text.as_str(), expected);
    }
}
