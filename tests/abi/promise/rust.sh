#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# rust.sh [--write]: the crate's bindings (sdk/rust/src/raw.rs, pod_fields.rs) are what the headers say; Debian's rustc lays every
# struct out as layout.lock has it; the crate's own tests pass. --write makes the bindings anew. Ends with `N passed, N failed`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
crate=sdk/rust
# Debian 12's own, even where a newer one comes first: that is what the crate promises to build with.
export RUSTC=/usr/bin/rustc CARGO_TARGET_DIR=$top/build/rust

bindings() {
  (cd sdk/include && find berth -path berth/berth.h -o -path 'berth/draft/*.h' | LC_ALL=C sort | sed 's/.*/#include <&>/') >"$work/all.c"
  echo '// SPDX-License-Identifier: Apache-2.0'
  echo '//! The C ABI as it is, made from the headers by `tests/abi/promise/rust.sh --write`. What each function does, who owns what and'
  echo '//! on which thread it runs is said in `berth/*.h`, under the same names.'
  echo '#![allow(missing_docs, non_camel_case_types, clippy::type_complexity)]'
  echo
  echo 'use std::os::raw::{c_char, c_void};'
  echo
  cc -std=c11 -Isdk/include -dM -E "$work/all.c" | sed -n 's/^#define \(BERTH_[A-Z0-9_]* .\)/\1/p' |
    grep -v '^BERTH_EXPORT' | LC_ALL=C sort | awk '
      { name = $1; value = $0; sub(/^[^ ]* /, "", value) }
      value ~ /^"/ { print "pub const " name ": &str = " value ";"; next }
      value ~ /UINT64_C/ { type = "u64" }
      value ~ /^INT64_C/ { type = "i64" }
      value ~ /^[0-9a-fx]+u$/ { type = "u32" }
      value ~ /^\(?-?[0-9]+\)?$/ { type = name ~ /_(MAJOR|MINOR|PATCH)$/ ? "u32" : "i32" }
      {
        gsub(/U?INT64_C\(/, "", value); gsub(/[()]/, "", value); sub(/u$/, "", value)
        print "pub const " name ": " type " = " value ";"
      }'
  cc -std=c11 -Isdk/include -E -P "$work/all.c" | tr -s ' \n\t' ' ' | sed 's/typedef /\n&/g' | awk -f tests/abi/promise/rust_bindings.awk
}

# A method of Pod for each field of berth_pod, from the bindings; its words are those behind the field in the header, if they are one line.
pod_fields() {
  echo '// SPDX-License-Identifier: Apache-2.0'
  echo '//! The fields of a pod, made from the headers by `tests/abi/promise/rust.sh --write`. What each means is said in `berth/view/pod.h`.'
  echo 'use super::*;'
  echo
  echo "impl<'a> Pod<'a> {"
  awk '
    FNR == NR { if (match($0, /\/\*\*< .* \*\/$/)) { name = $0; sub(/;.*/, "", name); sub(/.*[ *]/, "", name); words[name] = substr($0, RSTART + 5, RLENGTH - 8) }; next }
    /^pub struct berth_pod \{/ { on = 1; next }
    /^}/ { on = 0 }
    !on { next }
    {
      field = $2; sub(/:$/, "", field)
      type = $0; sub(/^[^:]*: /, "", type); sub(/,$/, "", type)
      known = "known!(self.raw, " field ", "
    }
    # What is before the first field of its own, what has no meaning yet, a list with its length, and labels, which view.rs shows in pairs.
    field ~ /^(struct_size|flags|obj|labels|reserved[0-9]*)$/ || field ~ /_len$/ { next }
    type == "berth_str" { type = "&\047a str"; value = "unsafe { view(" known "NO_TEXT)) }"; found = 1 }
    type == "*const berth_resources" { type = "&\047a raw::berth_resources"; value = "unsafe { &*" known "&NOTHING.0 as *const _) }"; found = 1 }
    type ~ /^[iu](32|64)$/ { value = known "0)"; found = 1 }
    type ~ /^\*const / { sub(/^\*const /, "", type); value = "unsafe { lent(" known "std::ptr::null()), known!(self.raw, " field "_len, 0)) }"; type = "&\047a [raw::" type "]"; found = 1 }
    !found { print "rust.sh: no method for " field ": " type >"/dev/stderr"; exit 1 }
    {
      if (field in words) print "    /// " words[field]
      found = 0; name = field; sub(/_$/, "", name)
      print "    pub fn " name "(&self) -> " type " {\n        " value "\n    }"
    }' sdk/include/berth/view/pod.h "$work/raw.rs" || return 1
  echo '}'
}

made() { bindings >"$work/raw.rs" && pod_fields >"$work/pod_fields.rs"; }

if [ "${1:-}" = --write ]; then
  made && cp "$work/raw.rs" "$work/pod_fields.rs" $crate/src/
  exit
fi

bindings_are_the_headers() {
  local file
  made || return 1
  for file in raw.rs pod_fields.rs; do
    diff -U2 "$crate/src/$file" "$work/$file" || { echo 'the crate (-) is not what the headers say (+): tests/abi/promise/rust.sh --write'; return 1; }
  done
}

# A program that prints, by rustc's own reckoning, each line of the lock about a struct; made from the lock, not from the headers.
layout_is_the_locks() {
  grep -E '^(berth_|  )' tests/abi/promise/layout.lock >"$work/wanted"
  awk '
    BEGIN {
      print "#![allow(dead_code)]\n#[path = \"RAW\"]\nmod raw;\nuse std::mem::{size_of, MaybeUninit};"
      print "fn size<T, F>(_: fn(*const T) -> *const F) -> usize { size_of::<F>() }"
      print "macro_rules! field { ($t:ident, $f:ident, $name:expr) => {{"
      print "    let whole = MaybeUninit::<raw::$t>::uninit();"
      print "    let base = whole.as_ptr();"
      print "    let at = unsafe { std::ptr::addr_of!((*base).$f) } as usize - base as usize;"
      print "    println!(\"  {} at {}, {} bytes\", $name, at, size::<raw::$t, _>(|p| unsafe { std::ptr::addr_of!((*p).$f) }));"
      print "}} }"
      print "fn main() {"
    }
    /^berth_/ { here = $1; print "println!(\"" here " {}\", size_of::<raw::" here ">());" }
    /^  / { print "field!(" here ", " ($1 ~ /^(type|use)$/ ? $1 "_" : $1) ", \"" $1 "\");" }
    END { print "}" }' "$work/wanted" | sed "s|RAW|$top/$crate/src/raw.rs|" >"$work/layout.rs"
  $RUSTC --edition 2021 "$work/layout.rs" -o "$work/layout" && "$work/layout" | diff "$work/wanted" -
}

# tests_pass FOLDER
tests_pass() { (cd "$1" && /usr/bin/cargo test --offline --quiet); }

check 'the bindings are what the headers say' bindings_are_the_headers
check "$($RUSTC --version | cut -d' ' -f1,2) lays every struct out as the lock has it" layout_is_the_locks
if [ "${ONLY:-}" != layout ]; then
  check "the crate's tests pass" tests_pass $crate
  check "and so do those of the crate for tests" tests_pass $crate/testing
fi
finish
