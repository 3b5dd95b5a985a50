// SPDX-License-Identifier: Apache-2.0
//! Plugins of 8, 16 and 24 bytes whose constructor begins a timer: what it counts is shared with the instance that Filter sees.

use berth::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

struct Small<const MORE: usize> {
    calls: Arc<AtomicU64>,
    more: [u64; MORE],
}
const _: () = assert!(
    std::mem::size_of::<Small<0>>() == 8 && std::mem::size_of::<Small<1>>() == 16 && std::mem::size_of::<Small<2>>() == 24
);

impl<const MORE: usize> Plugin for Small<MORE> {
    fn new(setup: &Setup, _: Args) -> Result<Self, String> {
        let calls = Arc::new(AtomicU64::new(0));
        let counted = calls.clone();
        setup.after(Duration::from_nanos(1), move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        Ok(Small { calls, more: [7; MORE] })
    }
}

impl<const MORE: usize> Filter for Small<MORE> {
    fn filter(&self, _: &Call, _: &State, _: Pod, _: Node) -> Verdict {
        if self.calls.load(Ordering::Relaxed) == 1 && self.more == [7; MORE] {
            Verdict::ok()
        } else {
            Verdict::error("was not called back")
        }
    }
}

type Small8 = Small<0>;
type Small16 = Small<1>;
type Small24 = Small<2>;

berth::plugins! {
    Small8: "Small8", "1.0.0", [Filter];
    Small16: "Small16", "1.0.0", [Filter];
    Small24: "Small24", "1.0.0", [Filter];
}
