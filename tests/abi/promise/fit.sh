#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fit.sh: what a plugin is given is fit for another process. Walks every struct of the ABI. One that has a function is a table, and
# there are tables of two kinds alone: a plugin's and a host's services. All else is data or opaque. Data has no function, leads to no
# table, however far, has no pointer of which it is not said to what, and points only to what may not be written. A function gets data
# to read it, or as the place of an answer, `out` or a berth_status, which begins with struct_size. INCLUDE is the folder of the
# headers. Prints a count of one.
set -euo pipefail
cd "$(dirname "$0")"
include=${INCLUDE:-../../../sdk/include}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$include" && find berth -path berth/berth.h -o -path 'berth/draft/*.h' | LC_ALL=C sort | sed 's/.*/#include <&>/') >"$work/all.c"
${CC:-cc} -std=c11 -I"$include" -E -P "$work/all.c" | tr -s ' \n\t' ' ' | sed 's/typedef /\n&/g' | awk '
  function bad(what) { print "FAILED: " what; failed = 1 }
  # The field or parameter `text`, of `where`: whether it points, and to which struct of the ABI.
  function read(text) {
    points = text ~ /\*|\[/
    named = match(text, /berth_[a-z_0-9]+/) ? substr(text, RSTART, RLENGTH) : ""
    written = points && text !~ /^(struct )?const /
  }
  # From a data struct to everything that it leads to.
  function walk(name, path,   i) {
    if (name in tables) { bad(path " leads to the table " name); return }
    if (name in seen) return
    seen[name] = 1
    for (i = 1; i <= count[name]; ++i) if (to[name, i] in structs) walk(to[name, i], path "." field[name, i])
  }
  # The parameters of functions, those of callbacks among them.
  function parameters(text, where,   n, parts, i) {
    n = split(text, parts, /[(),;]/)
    for (i = 1; i <= n; ++i) {
      sub(/^ +/, "", parts[i])
      read(parts[i])
      if (named in structs && !(named in tables) && written && !((named == "berth_status" || parts[i] ~ /\*out$/) && (named in grows)))
        bad(where " gets a " named " that it may write: " parts[i])
    }
  }
  /^typedef (struct|union) berth_[a-z_0-9]* \{/ {
    name = $3
    structs[name] = 1
    body = substr($0, index($0, "{") + 1)
    body = substr(body, 1, index(body, "}") - 1)
    n = split(body, fields, ";")
    for (i = 1; i <= n; ++i) {
      text = fields[i]
      sub(/^ +/, "", text)
      if (text !~ /[a-z]/) continue
      if (text ~ /^uint32_t struct_size/) grows[name] = 1
      if (text ~ /\(\*/) {
        calls[name] = calls[name] text ";"
        tables[name] = 1
        continue
      }
      read(text)
      k = ++count[name]
      to[name, k] = named
      field[name, k] = substr(text, match(text, /[a-z_0-9]+(\[[^\]]*\])?$/))
      writable[name, k] = points && text ~ /\*/ && written
      untyped[name, k] = text ~ /void \*/
    }
  }
  END {
    for (name in structs) {
      parameters(calls[name], name)
      if (name in tables) {
        if (name !~ /^berth_(plugin|host)(_|$)/) bad(name " is data, and has a function")
        continue
      }
      if (name == "berth_library") continue
      ++data
      split("", seen)
      walk(name, name)
      for (i = 1; i <= count[name]; ++i) {
        at = name "." field[name, i]
        # The place of an answer that comes later.
        if (writable[name, i] && to[name, i] != "berth_status") bad(at " points to what may be written")
        # The type of these is told beside them.
        if (untyped[name, i] && at !~ /^berth_(column\.(data|dict)|value_ptr\.any)$/) bad(at " does not say to what it points")
      }
    }
    if (data < 20) bad("found " data + 0 " structs of data alone: are these the headers?")
    print failed ? "0 passed, 1 failed" : "1 passed, 0 failed"
    exit failed
  }'
