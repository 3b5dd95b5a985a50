# SPDX-License-Identifier: Apache-2.0
# Turns the ABI's headers, preprocessed into one line per `typedef`, into Rust: structs with the same fields. Used by
# rust.sh.
function trim(s) { gsub(/^ +| +$/, "", s); return s }

# A name that is a word of Rust gets an underscore, as the headers do with the words of C++.
function safe(name) { return name ~ /^(type|use|fn|in|ref|mod|move|match|impl|self|where|loop)$/ ? name "_" : name }

# The Rust type of `base` (with its const) behind `stars`, a sequence of `*` and `const`.
function pointed(base, stars,   constant, type) {
  constant = base ~ /(^| )const( |$)/
  sub(/(^| )const( |$)/, " ", base)
  sub(/(^| )struct /, " ", base)
  base = trim(base)
  type = base in names ? names[base] : base
  stars = trim(stars)
  while (stars != "") {
    if (substr(stars, 1, 1) == "*") { type = (constant ? "*const " : "*mut ") type; constant = 0; stars = substr(stars, 2) }
    else if (stars ~ /^const/) { constant = 1; stars = substr(stars, 6) }
    else { print "rust_bindings.awk: cannot read " base " " stars >"/dev/stderr"; exit 1 }
    stars = trim(stars)
  }
  return type
}

# Splits at commas outside of parentheses into `into`, from 1 on.
function split_list(text, into,   i, c, depth, n, part) {
  for (i = 1; i <= length(text); ++i) {
    c = substr(text, i, 1)
    if (c == "(") ++depth
    if (c == ")") --depth
    if (c == "," && !depth) { into[++n] = trim(part); part = "" } else part = part c
  }
  if (trim(part) != "") into[++n] = trim(part)
  return n
}

# A function pointer `RESULT (*name)(PARAMETERS)`; its name is left in `named`.
function pointer_to_function(text,   open, result, rest, parameters, parts, n, i, out, stars) {
  open = index(text, "(*")
  result = trim(substr(text, 1, open - 1))
  rest = substr(text, open + 2)
  parameters = substr(rest, index(rest, ")") + 1)
  parameters = substr(parameters, index(parameters, "(") + 1)
  sub(/\) *$/, "", parameters)
  n = split_list(parameters, parts)
  out = ""
  for (i = 1; i <= n; ++i) {
    if (parts[i] == "void") continue
    out = out (out == "" ? "" : ", ") parameter(parts[i])
  }
  if (result == "void") result = ""
  else {
    stars = ""
    if (index(result, "*")) { stars = substr(result, index(result, "*")); result = substr(result, 1, index(result, "*") - 1) }
    result = " -> " pointed(result, stars)
  }
  named = substr(rest, 1, index(rest, ")") - 1)
  return "Option<unsafe extern \"C\" fn(" out ")" result ">"
}

function parameter(text,   type, base, stars, name) {
  if (index(text, "(*")) { type = pointer_to_function(text); return safe(named) ": " type }
  # An array parameter is a pointer.
  if (sub(/ *\[[^\]]*\]$/, "", text)) sub(/[a-z_0-9]+$/, "*&", text)
  match(text, /[a-z_0-9]+$/)
  name = substr(text, RSTART)
  base = substr(text, 1, RSTART - 1)
  stars = ""
  if (index(base, "*")) { stars = substr(base, index(base, "*")); base = substr(base, 1, index(base, "*") - 1) }
  return safe(name) ": " pointed(trim(base), stars)
}

# A field, or several of one type.
function fields(text,   type, base, rest, parts, n, i, stars, count) {
  if (index(text, "(*")) { type = pointer_to_function(text); print "    pub " safe(named) ": " type ","; return }
  match(text, /^((const|struct) )*[a-z_0-9]+/)
  base = substr(text, 1, RLENGTH)
  rest = trim(substr(text, RLENGTH + 1))
  n = split_list(rest, parts)
  for (i = 1; i <= n; ++i) {
    count = ""
    if (match(parts[i], /\[[0-9]+\]$/)) { count = substr(parts[i], RSTART + 1, RLENGTH - 2); parts[i] = substr(parts[i], 1, RSTART - 1) }
    match(parts[i], /[a-z_0-9]+$/)
    stars = substr(parts[i], 1, RSTART - 1)
    type = pointed(base, stars)
    if (count != "") type = "[" type "; " count "]"
    print "    pub " safe(substr(parts[i], RSTART)) ": " type ","
  }
}

BEGIN {
  split("uint8_t u8 uint32_t u32 int32_t i32 uint64_t u64 int64_t i64 void c_void char c_char double f64", pairs, " ")
  for (i = 1; i in pairs; i += 2) names[pairs[i]] = pairs[i + 1]
}
/^typedef struct berth_[a-z_0-9]* berth_[a-z_0-9]*;/ {
  print "\n/// Opaque.\n#[repr(C)]\npub struct " $3 " {\n    opaque: [u8; 0],\n}"
}
/^typedef (struct|union) berth_[a-z_0-9]* \{/ {
  body = substr($0, index($0, "{") + 1)
  body = substr(body, 1, index(body, "}") - 1)
  print "\n#[repr(C)]\n#[derive(Clone, Copy)]\npub " $2 " " $3 " {"
  n = split(body, all, ";")
  for (k = 1; k <= n; ++k) if (all[k] ~ /[a-z]/) fields(trim(all[k]))
  print "}"
}
