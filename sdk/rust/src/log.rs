// SPDX-License-Identifier: Apache-2.0
//! Log lines with fields.

use crate::host::Host;
use crate::raw;
use crate::uses::uses_draft;
use crate::value::str_of;

/// What varies in a log line. Made by `into()` from texts, numbers and bools.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldValue<'a> {
    Text(&'a str),
    Int(i64),
    Number(f64),
    Bool(bool),
}

impl<'a> From<&'a str> for FieldValue<'a> {
    fn from(text: &'a str) -> Self {
        FieldValue::Text(text)
    }
}
impl<'a> From<&'a String> for FieldValue<'a> {
    fn from(text: &'a String) -> Self {
        FieldValue::Text(text)
    }
}
macro_rules! from {
    ($($type:ty => $kind:ident),*) => {$(
        impl From<$type> for FieldValue<'_> {
            fn from(value: $type) -> Self {
                FieldValue::$kind(value.into())
            }
        }
    )*};
}
from!(bool => Bool, f64 => Number, i64 => Int, i32 => Int, u32 => Int);
impl From<u64> for FieldValue<'_> {
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or(FieldValue::Number(number as f64), FieldValue::Int)
    }
}
impl From<usize> for FieldValue<'_> {
    fn from(number: usize) -> Self {
        FieldValue::from(number as u64)
    }
}

impl FieldValue<'_> {
    fn raw(&self) -> raw::berth_value {
        let (kind, n, ptr) = match *self {
            FieldValue::Text(text) => (
                raw::BERTH_VALUE_STRING,
                raw::berth_value_n { len: text.len() as u64 },
                raw::berth_value_ptr { string: text.as_ptr() as *const std::os::raw::c_char },
            ),
            FieldValue::Int(integer) => (raw::BERTH_VALUE_INT, raw::berth_value_n { integer }, NOTHING),
            FieldValue::Number(number) => (raw::BERTH_VALUE_DOUBLE, raw::berth_value_n { number }, NOTHING),
            FieldValue::Bool(on) => (raw::BERTH_VALUE_BOOL, raw::berth_value_n { integer: on.into() }, NOTHING),
        };
        raw::berth_value { kind, reserved: 0, n, ptr }
    }
    /// As the host would write it.
    fn write_to(&self, out: &mut String, cut: &mut bool) {
        match *self {
            FieldValue::Text(text) => quote(out, cut, text),
            FieldValue::Int(number) => out.push_str(&number.to_string()),
            FieldValue::Number(number) if number.is_finite() => out.push_str(&number.to_string()),
            FieldValue::Number(_) => out.push_str("null"),
            FieldValue::Bool(on) => out.push_str(if on { "true" } else { "false" }),
        }
    }
}

/// JSON's escapes; no control character is left.
fn quote(out: &mut String, cut: &mut bool, text: &str) {
    const LONGEST: usize = 1_024;
    out.push('"');
    for (at, c) in text.char_indices() {
        if at + c.len_utf8() > LONGEST {
            *cut = true;
            break;
        }
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn is_key(key: &str) -> bool {
    const LONGEST: usize = 64;
    let may_stand = |c: char| c.is_ascii_alphanumeric() || "_.-/".contains(c);
    !key.is_empty() && key.len() <= LONGEST && key.chars().all(may_stand)
}

/// The line for a host that takes one text.
fn line_of(message: &str, fields: Fields) -> String {
    const MOST: usize = 32;
    let (mut line, mut cut) = (message.to_string(), fields.len() > MOST);
    for (key, value) in fields.iter().take(MOST).filter(|(key, _)| is_key(key)) {
        line.push(' ');
        line.push_str(key);
        line.push('=');
        value.write_to(&mut line, &mut cut);
    }
    if cut {
        line.push_str(" cut=true");
    }
    line
}
const NOTHING: raw::berth_value_ptr = raw::berth_value_ptr { any: std::ptr::null() };

/// Of the methods below.
pub type Fields<'a> = &'a [(&'a str, FieldValue<'a>)];

/// `message` is a phrase that is the same every time; what varies are the fields. In a call about a pod the host adds the pod.
/// A host without fields, which are a draft, gets all in one text.
impl Host {
    #[inline]
    fn write_with(&self, severity: u32, verbosity: u32, message: &str, fields: Fields) {
        uses_draft!("berth.host.log_fields/draft1");
        let write = match self.log_fields.and_then(|t| t.write) {
            Some(write) => write,
            None => return self.write(severity, verbosity, &line_of(message, fields)),
        };
        let one = |(key, value): &(&str, FieldValue)| raw::berth_kv { key: str_of(key), value: value.raw() };
        let all: Vec<raw::berth_kv> = fields.iter().map(one).collect();
        unsafe { write(self.raw(), severity, verbosity, str_of(message), all.as_ptr(), all.len() as u64) }
    }
    /// `host.info_with(2, "Held a pod", &[("missing", 3.into())])`
    #[inline]
    pub fn info_with(&self, verbosity: u32, message: &str, fields: Fields) {
        if self.logs(verbosity) {
            self.write_with(raw::BERTH_LOG_INFO, verbosity, message, fields)
        }
    }
    #[inline]
    pub fn warning_with(&self, message: &str, fields: Fields) {
        self.write_with(raw::BERTH_LOG_WARNING, 0, message, fields)
    }
    #[inline]
    pub fn error_with(&self, message: &str, fields: Fields) {
        self.write_with(raw::BERTH_LOG_ERROR, 0, message, fields)
    }
}
