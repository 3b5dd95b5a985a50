// SPDX-License-Identifier: Apache-2.0
//! What a plugin counts: defined in `Plugin::new`, kept, and used from any thread.

use crate::host::{Host, Setup};
use crate::raw;
use crate::uses::uses_draft;
use crate::value::str_of;
use std::marker::PhantomData;

mod sealed {
    /// By its id, which means something to the host of its instance alone; others find another series by it or none.
    pub trait Sealed: Sized {
        fn of(id: u64) -> Self;
        fn id(&self) -> u64;
    }
}

/// Only grows.
#[derive(Clone, Copy)]
pub struct Counter(u64);
/// Goes up and down.
#[derive(Clone, Copy)]
pub struct Gauge(u64);
/// How many observations there were up to each bound, and their sum.
#[derive(Clone, Copy)]
pub struct Histogram(u64);

fn add_to(host: &Host, id: u64, n: f64) {
    if let Some(add) = host.metrics.and_then(|t| t.add) {
        unsafe { add(host.raw(), id, n) }
    }
}

// Every function here takes the host of the plugin's own instance. On one without metrics, which are a draft, nothing is
// counted.
impl Counter {
    pub fn add(&self, host: &Host, n: f64) {
        add_to(host, self.0, n)
    }
}
impl Gauge {
    pub fn set(&self, host: &Host, value: f64) {
        if let Some(set) = host.metrics.and_then(|t| t.set) {
            unsafe { set(host.raw(), self.0, value) }
        }
    }
    pub fn add(&self, host: &Host, n: f64) {
        add_to(host, self.0, n)
    }
}
impl Histogram {
    pub fn observe(&self, host: &Host, value: f64) {
        if let Some(observe) = host.metrics.and_then(|t| t.observe) {
            unsafe { observe(host.raw(), self.0, value) }
        }
    }
}

/// A `Counter`, `Gauge` or `Histogram`.
pub trait Series: sealed::Sealed {
    /// Its values are gone, as a group that has ended: it is exported no more, and makes place for others.
    fn end(self, host: &Host) {
        if let Some(end) = host.metrics.and_then(|t| t.end) {
            unsafe { end(host.raw(), self.id()) }
        }
    }
}
macro_rules! series {
    ($($name:ident),*) => {$(
        impl sealed::Sealed for $name {
            fn of(id: u64) -> Self {
                $name(id)
            }
            fn id(&self) -> u64 {
                self.0
            }
        }
        impl Series for $name {}
    )*};
}
series!(Counter, Gauge, Histogram);

/// A metric with `N` labels.
pub struct Labelled<S, const N: usize> {
    id: u32,
    kind: PhantomData<fn() -> S>,
}
impl<S: Series, const N: usize> Labelled<S, N> {
    /// The series of these values, in the order of the labels. Ask once and keep it, not for every pod.
    pub fn with(&self, host: &Host, values: [&str; N]) -> S {
        let texts = values.map(str_of);
        let series = host.metrics.and_then(|t| t.series).filter(|_| self.id != 0);
        S::of(series.map_or(0, |series| unsafe { series(host.raw(), self.id, texts.as_ptr(), N as u64) }))
    }
}

/// Upper bounds for durations in seconds: those that kube-scheduler has for its own.
pub const SECONDS_BOUNDS: [f64; 15] =
    [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384];

/// What the plugin counts. A name begins with the plugin's and ends with the unit; the host puts "plugin_" before it, and the
/// labels "plugin" and "profile" beside those of the plugin. Beyond `most_series` combinations of values, 0 for 100, all others
/// are counted as one, and gauges not at all. An `Err` says what is no such metric (`berth_metric`). Beside another plugin's
/// metric of that name and another kind, and on a host that offers no metrics, nothing is counted.
impl Setup<'_> {
    fn metric<S: Series, const N: usize>(
        &self, kind: u32, name: &str, help: &str, bounds: &[f64], labels: [&str; N], most_series: u32,
    ) -> Result<Labelled<S, N>, String> {
        uses_draft!("berth.host.metrics/draft1");
        let mut id = 0;
        if let Some(define) = self.metrics.and_then(|t| t.define) {
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
            let code = unsafe { define(self.raw(), &metric, &mut id) };
            if code != raw::BERTH_STATUS_SUCCESS && code != raw::BERTH_STATUS_UNSUPPORTED {
                return Err(format!("metric {} is refused; the log says why", name));
            }
        }
        Ok(Labelled { id, kind: PhantomData })
    }
    #[inline]
    pub fn counter(&self, name: &str, help: &str) -> Result<Counter, String> {
        Ok(self.counters(name, help, [], 0)?.with(self, []))
    }
    pub fn counters<const N: usize>(
        &self, name: &str, help: &str, labels: [&str; N], most_series: u32,
    ) -> Result<Labelled<Counter, N>, String> {
        self.metric(raw::BERTH_METRIC_COUNTER, name, help, &[], labels, most_series)
    }
    #[inline]
    pub fn gauge(&self, name: &str, help: &str) -> Result<Gauge, String> {
        Ok(self.gauges(name, help, [], 0)?.with(self, []))
    }
    pub fn gauges<const N: usize>(
        &self, name: &str, help: &str, labels: [&str; N], most_series: u32,
    ) -> Result<Labelled<Gauge, N>, String> {
        self.metric(raw::BERTH_METRIC_GAUGE, name, help, &[], labels, most_series)
    }
    #[inline]
    pub fn histogram(&self, name: &str, help: &str, bounds: &[f64]) -> Result<Histogram, String> {
        Ok(self.histograms(name, help, bounds, [], 0)?.with(self, []))
    }
    pub fn histograms<const N: usize>(
        &self, name: &str, help: &str, bounds: &[f64], labels: [&str; N], most_series: u32,
    ) -> Result<Labelled<Histogram, N>, String> {
        self.metric(raw::BERTH_METRIC_HISTOGRAM, name, help, bounds, labels, most_series)
    }
}
