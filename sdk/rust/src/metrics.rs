// SPDX-License-Identifier: Apache-2.0
//! What a plugin counts: defined in `Plugin::new`, kept, and used from any thread.

use crate::host::Setup;
use crate::raw;
use crate::value::str_of;
use std::marker::PhantomData;

mod sealed {
    use crate::raw;

    /// What a metric is recorded through; without the service, which is a draft, nothing is counted.
    #[derive(Clone, Copy)]
    pub struct Way {
        pub(super) host: *const raw::berth_host,
        pub(super) table: Option<&'static raw::berth_host_metrics>,
        pub(super) id: u32,
    }
    // The host outlives the instance, the table is static, and its functions but `define` are for any thread.
    unsafe impl Send for Way {}
    unsafe impl Sync for Way {}

    pub trait Sealed: Sized {
        fn of(way: Way) -> Self;
    }
}
use sealed::Way;

/// Only grows.
#[derive(Clone, Copy)]
pub struct Counter(Way);
/// Goes up and down.
#[derive(Clone, Copy)]
pub struct Gauge(Way);
/// How many observations there were up to each bound, and their sum.
#[derive(Clone, Copy)]
pub struct Histogram(Way);

impl Counter {
    pub fn add(&self, n: f64) {
        if let Some(add) = self.0.table.and_then(|t| t.add) {
            unsafe { add(self.0.host, self.0.id, n) }
        }
    }
}
impl Gauge {
    pub fn set(&self, value: f64) {
        if let Some(set) = self.0.table.and_then(|t| t.set) {
            unsafe { set(self.0.host, self.0.id, value) }
        }
    }
    pub fn add(&self, n: f64) {
        if let Some(add) = self.0.table.and_then(|t| t.add) {
            unsafe { add(self.0.host, self.0.id, n) }
        }
    }
}
impl Histogram {
    pub fn observe(&self, value: f64) {
        if let Some(observe) = self.0.table.and_then(|t| t.observe) {
            unsafe { observe(self.0.host, self.0.id, value) }
        }
    }
}

/// A `Counter`, `Gauge` or `Histogram`.
pub trait Series: sealed::Sealed {}
macro_rules! series {
    ($($name:ident),*) => {$(
        impl sealed::Sealed for $name {
            fn of(way: Way) -> Self {
                $name(way)
            }
        }
        impl Series for $name {}
    )*};
}
series!(Counter, Gauge, Histogram);

/// A metric with `N` labels.
pub struct Labelled<S, const N: usize> {
    way: Way,
    kind: PhantomData<fn() -> S>,
}
impl<S: Series, const N: usize> Labelled<S, N> {
    /// The series of these values, in the order of the labels. Ask once and keep it, not for every pod.
    pub fn with(&self, values: [&str; N]) -> S {
        let texts = values.map(str_of);
        let id = match self.way.table.and_then(|t| t.series) {
            Some(series) => unsafe { series(self.way.host, self.way.id, texts.as_ptr(), N as u64) },
            None => 0,
        };
        S::of(Way { id, ..self.way })
    }
}

/// Upper bounds for durations in seconds: those that kube-scheduler has for its own.
pub const SECONDS_BOUNDS: [f64; 15] =
    [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384];

/// What the plugin counts. A name begins with the plugin's and ends with the unit; the host puts "plugin_" before it, and the
/// labels "plugin" and "profile" beside those of the plugin. Beyond `most_series` combinations of values, 0 for 100, all others
/// are counted as one. An `Err` says that the host refused the definition (`berth_metric`); on a host that offers no metrics,
/// which are a draft, nothing is counted.
impl Setup<'_> {
    fn metric<S: Series, const N: usize>(
        &self, kind: u32, name: &str, help: &str, bounds: &[f64], labels: [&str; N], most_series: u32,
    ) -> Result<Labelled<S, N>, String> {
        let mut way = Way { host: self.raw(), table: self.metrics, id: 0 };
        if let Some(define) = way.table.and_then(|t| t.define) {
            let labels = labels.map(str_of);
            let metric = raw::berth_metric {
                struct_size: std::mem::size_of::<raw::berth_metric>() as u32,
                flags: 0,
                kind,
                most_series,
                name: str_of(name),
                help: str_of(help),
                labels: labels.as_ptr(),
                labels_len: N as u64,
                bounds: bounds.as_ptr(),
                bounds_len: bounds.len() as u64,
            };
            if unsafe { define(way.host, &metric, &mut way.id) } != raw::BERTH_STATUS_SUCCESS {
                return Err(format!("metric {} is refused; the log says why", name));
            }
        }
        Ok(Labelled { way, kind: PhantomData })
    }
    pub fn counter(&self, name: &str, help: &str) -> Result<Counter, String> {
        Ok(self.counters(name, help, [], 0)?.with([]))
    }
    pub fn counters<const N: usize>(
        &self, name: &str, help: &str, labels: [&str; N], most_series: u32,
    ) -> Result<Labelled<Counter, N>, String> {
        self.metric(raw::BERTH_METRIC_COUNTER, name, help, &[], labels, most_series)
    }
    pub fn gauge(&self, name: &str, help: &str) -> Result<Gauge, String> {
        Ok(self.gauges(name, help, [], 0)?.with([]))
    }
    pub fn gauges<const N: usize>(
        &self, name: &str, help: &str, labels: [&str; N], most_series: u32,
    ) -> Result<Labelled<Gauge, N>, String> {
        self.metric(raw::BERTH_METRIC_GAUGE, name, help, &[], labels, most_series)
    }
    pub fn histogram(&self, name: &str, help: &str, bounds: &[f64]) -> Result<Histogram, String> {
        Ok(self.histograms(name, help, bounds, [], 0)?.with([]))
    }
    pub fn histograms<const N: usize>(
        &self, name: &str, help: &str, bounds: &[f64], labels: [&str; N], most_series: u32,
    ) -> Result<Labelled<Histogram, N>, String> {
        self.metric(raw::BERTH_METRIC_HISTOGRAM, name, help, bounds, labels, most_series)
    }
}
