// SPDX-License-Identifier: Apache-2.0
//! Nothing unwinds across the ABI.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

fn text_of(panic: Box<dyn Any + Send>) -> String {
    let text = if let Some(text) = panic.downcast_ref::<&str>() {
        text.to_string()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a text".to_string()
    };
    // What was thrown may panic when it is dropped; it is left where it is then.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(panic))).map_err(std::mem::forget);
    text
}

/// Runs `work`; a panic comes back as its text.
pub(crate) fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(text_of)
}
