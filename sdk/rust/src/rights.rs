// SPDX-License-Identifier: Apache-2.0
//! What a plugin writes, as its note says it: "create v1/pods/binding", "delete apps/v1/deployments".

use crate::host::Host;
use crate::raw;
use crate::value::str_of;

const VERBS: [(&str, u32); 4] = [
    ("create ", raw::BERTH_VERB_CREATE),
    ("update ", raw::BERTH_VERB_UPDATE),
    ("patch ", raw::BERTH_VERB_PATCH),
    ("delete ", raw::BERTH_VERB_DELETE),
];

const fn begins(text: &[u8], with: &[u8]) -> bool {
    let mut i = 0;
    while i < with.len() {
        if i == text.len() || text[i] != with[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The place in VERBS; as many as there are if it is none.
const fn verb_of(right: &str) -> usize {
    let mut i = 0;
    while i < VERBS.len() && !begins(right.as_bytes(), VERBS[i].0.as_bytes()) {
        i += 1;
    }
    i
}

/// Stops the compiler at a right that is none.
#[doc(hidden)]
pub const fn checked(writes: &'static [&'static str]) -> &'static [&'static str] {
    let mut i = 0;
    while i < writes.len() {
        assert!(verb_of(writes[i]) < VERBS.len(), "`writes`: expected a verb, a version and a resource, as in \"create v1/pods/binding\"");
        i += 1;
    }
    writes
}

/// Tells the host of each.
pub(crate) unsafe fn declare(writes: &[&str], host: &Host, sink: *mut raw::berth_declare_sink) {
    let write = host.sinks().declare_write.expect("berth_host_sinks.declare_write");
    for right in writes {
        let (prefix, verb) = VERBS[verb_of(right)];
        let path = &right[prefix.len()..];
        // The core group has no name, so that a version comes first.
        let core = path.starts_with('v') && path[1..].starts_with(|c: char| c.is_ascii_digit());
        let (group, rest) = if core { ("", path) } else { path.split_once('/').unwrap_or(("", path)) };
        let (version, resource) = rest.split_once('/').unwrap_or((rest, ""));
        write(host.raw(), sink, verb, str_of(group), str_of(version), str_of(resource));
    }
}
