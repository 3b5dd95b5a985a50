// SPDX-License-Identifier: Apache-2.0
//! What a plugin writes and reads, as its note says it: "create v1/pods/binding", "get v1/configmaps".

use crate::host::Host;
use crate::raw;
use crate::value::str_of;

const VERBS: [(&str, u32); 4] = [
    ("create ", raw::BERTH_VERB_CREATE),
    ("update ", raw::BERTH_VERB_UPDATE),
    ("patch ", raw::BERTH_VERB_PATCH),
    ("delete ", raw::BERTH_VERB_DELETE),
];

const READS: [(&str, u32); 2] = [("get ", raw::BERTH_READ_GET), ("list ", raw::BERTH_READ_LIST)];

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

/// The place in `verbs`; as many as there are if it is none.
const fn verb_of(verbs: &[(&str, u32)], right: &str) -> usize {
    let mut i = 0;
    while i < verbs.len() && !begins(right.as_bytes(), verbs[i].0.as_bytes()) {
        i += 1;
    }
    i
}

/// Stops the compiler at a right that is none.
#[doc(hidden)]
pub const fn checked(writes: &'static [&'static str]) -> &'static [&'static str] {
    let mut i = 0;
    while i < writes.len() {
        assert!(verb_of(&VERBS, writes[i]) < VERBS.len(), "`writes`: expected a verb, a version and a resource, as in \"create v1/pods/binding\"");
        i += 1;
    }
    writes
}

/// The same of a read.
#[doc(hidden)]
pub const fn checked_reads(reads: &'static [&'static str]) -> &'static [&'static str] {
    let mut i = 0;
    while i < reads.len() {
        assert!(verb_of(&READS, reads[i]) < READS.len(), "`reads`: expected get or list, a version and a resource, as in \"get v1/configmaps\"");
        i += 1;
    }
    reads
}

type Declare = unsafe extern "C" fn(*const raw::berth_host, *mut raw::berth_declare_sink, u32, raw::berth_str, raw::berth_str, raw::berth_str);

/// Tells the host of each.
pub(crate) unsafe fn declare(writes: &[&str], reads: &[&str], host: &Host, sink: *mut raw::berth_declare_sink) {
    declare_all(&VERBS, writes, host.sinks().declare_write.expect("berth_host_sinks.declare_write"), host, sink);
    // A host that does not offer reads, which are a draft, gets none.
    if let Some(read) = host.reader.and_then(|t| t.declare) {
        declare_all(&READS, reads, read, host, sink);
    }
}

unsafe fn declare_all(verbs: &[(&str, u32)], rights: &[&str], write: Declare, host: &Host, sink: *mut raw::berth_declare_sink) {
    for right in rights {
        let (prefix, verb) = verbs[verb_of(verbs, right)];
        let path = &right[prefix.len()..];
        // The core group has no name, so that a version comes first.
        let core = path.starts_with('v') && path[1..].starts_with(|c: char| c.is_ascii_digit());
        let (group, rest) = if core { ("", path) } else { path.split_once('/').unwrap_or(("", path)) };
        let (version, resource) = rest.split_once('/').unwrap_or((rest, ""));
        write(host.raw(), sink, verb, str_of(group), str_of(version), str_of(resource));
    }
}
