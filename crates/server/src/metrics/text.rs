//! The text format of Prometheus, version 0.0.4.

use std::fmt::{self, Display, Formatter, Write};

use daybook_storage::metric::{Histogram, LabelledCounter};

/// The media type of the format.
pub(super) const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A label with its value. The values are fixed texts without quotes, so they are not escaped.
type Label<'l> = (&'l str, &'l str);

/// Microseconds, printed as seconds.
pub(super) struct Micros(pub(super) u64);

impl Display for Micros {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// Milliseconds, printed as seconds.
pub(super) struct Millis(pub(super) i64);

impl Display for Millis {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let micros = self.0.unsigned_abs().saturating_mul(1_000);
        write!(f, "{sign}{}", Micros(micros))
    }
}

/// The text of all metrics.
#[derive(Default)]
pub(super) struct Text(String);

impl Text {
    /// Begins a counter, whose name ends in `_total`.
    pub(super) fn counter(&mut self, name: &'static str, help: &str) -> Samples<'_> {
        self.begin(name, "counter", help)
    }

    /// Begins a gauge.
    pub(super) fn gauge(&mut self, name: &'static str, help: &str) -> Samples<'_> {
        self.begin(name, "gauge", help)
    }

    /// Begins a histogram.
    pub(super) fn histogram(&mut self, name: &'static str, help: &str) -> Samples<'_> {
        self.begin(name, "histogram", help)
    }

    /// Returns the text.
    pub(super) fn finish(self) -> String {
        self.0
    }

    fn begin(&mut self, name: &'static str, kind: &str, help: &str) -> Samples<'_> {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Samples { name, out: &mut self.0 }
    }
}

/// The samples of a metric.
pub(super) struct Samples<'t> {
    name: &'static str,
    out: &'t mut String,
}

impl Samples<'_> {
    /// Adds a sample, if there is a value.
    pub(super) fn add(&mut self, labels: &[Label<'_>], value: Option<i64>) -> &mut Self {
        match value {
            Some(value) => self.show(labels, &value),
            None => self,
        }
    }

    /// Adds a sample with a value that is printed in another way.
    pub(super) fn show(&mut self, labels: &[Label<'_>], value: &dyn Display) -> &mut Self {
        self.line("", labels, None, value);
        self
    }

    /// Adds a sample for each value of a label.
    pub(super) fn each<const N: usize>(&mut self, label: &str, counters: &LabelledCounter<N>) {
        for (value, counter) in counters.iter() {
            self.show(&[(label, value)], &counter.get());
        }
    }

    /// Adds the samples of a histogram. `unit` converts the bounds and the sum.
    pub(super) fn buckets<const N: usize, D: Display>(
        &mut self,
        labels: &[Label<'_>],
        histogram: &Histogram<N>,
        unit: impl Fn(u64) -> D,
    ) {
        let mut total = 0;
        for (bound, count) in histogram.cumulative() {
            self.line("_bucket", labels, Some(&unit(bound)), &count);
            total = count;
        }
        total = total.saturating_add(histogram.above());
        self.line("_bucket", labels, Some(&"+Inf"), &total);
        self.line("_sum", labels, None, &unit(histogram.sum()));
        self.line("_count", labels, None, &total);
    }

    fn line(
        &mut self,
        suffix: &str,
        labels: &[Label<'_>],
        bound: Option<&dyn Display>,
        value: &dyn Display,
    ) {
        let _ = write!(self.out, "{}{suffix}", self.name);
        let mut separator = '{';
        for (label, text) in labels {
            let _ = write!(self.out, "{separator}{label}=\"{text}\"");
            separator = ',';
        }
        if let Some(bound) = bound {
            let _ = write!(self.out, "{separator}le=\"{bound}\"");
            separator = ',';
        }
        let end = if separator == ',' { "}" } else { "" };
        let _ = writeln!(self.out, "{end} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_that_of_the_format() {
        let mut text = Text::default();
        let mut gauge = text.gauge("a_bytes", "Bytes.");
        gauge.add(&[], Some(3)).add(&[("place", "b"), ("state", "c")], Some(-1)).add(&[], None);
        let histogram = Histogram::new([1_000, 2_500_000]);
        for number in [400, 1_000, 2_000, 3_000_000] {
            histogram.observe(number);
        }
        text.histogram("d_seconds", "Durations.").buckets(&[("route", "e")], &histogram, Micros);
        let expected = "# HELP a_bytes Bytes.\n# TYPE a_bytes gauge\na_bytes 3\n\
            a_bytes{place=\"b\",state=\"c\"} -1\n\
            # HELP d_seconds Durations.\n# TYPE d_seconds histogram\n\
            d_seconds_bucket{route=\"e\",le=\"0.001\"} 2\n\
            d_seconds_bucket{route=\"e\",le=\"2.5\"} 3\n\
            d_seconds_bucket{route=\"e\",le=\"+Inf\"} 4\n\
            d_seconds_sum{route=\"e\"} 3.0034\n\
            d_seconds_count{route=\"e\"} 4\n";
        assert_eq!(text.finish(), expected);
    }

    #[test]
    fn durations_are_printed_in_seconds() {
        let shown =
            [0, 1, 1_000_000, 10_000_000, 1_500_000].map(|micros| Micros(micros).to_string());
        assert_eq!(shown, ["0", "0.000001", "1", "10", "1.5"]);
        assert_eq!([Millis(-1_500), Millis(20)].map(|millis| millis.to_string()), ["-1.5", "0.02"]);
    }
}
