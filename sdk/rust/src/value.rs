// SPDX-License-Identifier: Apache-2.0
//! Text and trees of values, read in place.

use crate::raw;
use std::marker::PhantomData;
use std::slice;

/// The ABI's view of a text; it lives no longer than the text.
pub(crate) const fn str_of(text: &str) -> raw::berth_str {
    raw::berth_str { ptr: text.as_ptr() as *const std::os::raw::c_char, len: text.len() as u64 }
}

/// What the host lends. The host refuses objects that are no UTF-8, so the fallback is for broken hosts only.
pub(crate) unsafe fn view<'a>(s: raw::berth_str) -> &'a str {
    std::str::from_utf8(lent(s.ptr as *const u8, s.len)).unwrap_or("")
}

/// An array of the host's; NULL only when it is empty.
pub(crate) unsafe fn lent<'a, T>(ptr: *const T, len: u64) -> &'a [T] {
    if len == 0 {
        &[]
    } else {
        slice::from_raw_parts(ptr, len as usize)
    }
}

/// One value of a parsed JSON or YAML tree.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    raw: *const raw::berth_value,
    life: PhantomData<&'a raw::berth_value>,
}

impl<'a> Value<'a> {
    pub(crate) unsafe fn new(raw: *const raw::berth_value) -> Self {
        Value { raw, life: PhantomData }
    }
    fn read(&self) -> raw::berth_value {
        if self.raw.is_null() {
            raw::berth_value { kind: raw::BERTH_VALUE_NULL, reserved: 0, n: raw::berth_value_n { integer: 0 }, ptr: raw::berth_value_ptr { any: std::ptr::null() } }
        } else {
            unsafe { *self.raw }
        }
    }
    /// One of `raw::BERTH_VALUE_…`.
    pub fn kind(&self) -> u32 {
        self.read().kind
    }
    /// Null, or absent.
    pub fn is_null(&self) -> bool {
        self.kind() == raw::BERTH_VALUE_NULL || self.kind() > raw::BERTH_VALUE_OBJECT
    }
    pub fn as_bool(&self) -> Option<bool> {
        let v = self.read();
        (v.kind == raw::BERTH_VALUE_BOOL).then(|| unsafe { v.n.integer } != 0)
    }
    pub fn as_i64(&self) -> Option<i64> {
        let v = self.read();
        (v.kind == raw::BERTH_VALUE_INT).then(|| unsafe { v.n.integer })
    }
    /// Of a number with or without a fraction.
    pub fn as_f64(&self) -> Option<f64> {
        let v = self.read();
        match v.kind {
            raw::BERTH_VALUE_INT => Some(unsafe { v.n.integer } as f64),
            raw::BERTH_VALUE_DOUBLE => Some(unsafe { v.n.number }),
            _ => None,
        }
    }
    pub fn as_str(&self) -> Option<&'a str> {
        let v = self.read();
        (v.kind == raw::BERTH_VALUE_STRING).then(|| unsafe { view(raw::berth_str { ptr: v.ptr.string, len: v.n.len }) })
    }
    /// The items of an array; none of anything else.
    pub fn items(&self) -> impl Iterator<Item = Value<'a>> {
        let v = self.read();
        let n = if v.kind == raw::BERTH_VALUE_ARRAY { unsafe { v.n.len } } else { 0 };
        unsafe { lent(v.ptr.items, n) }.iter().map(|item| unsafe { Value::new(item) })
    }
    /// The members of an object, in the order of the file; none of anything else.
    pub fn members(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        let v = self.read();
        let n = if v.kind == raw::BERTH_VALUE_OBJECT { unsafe { v.n.len } } else { 0 };
        unsafe { lent(v.ptr.members, n) }
            .iter()
            .map(|m| unsafe { (view(m.key), Value::new(&m.value)) })
    }
    /// A member of an object; a null value if there is none.
    pub fn get(&self, key: &str) -> Value<'a> {
        let found = self.members().find(|(name, _)| *name == key);
        found.map_or(Value { raw: std::ptr::null(), life: PhantomData }, |(_, value)| value)
    }
}

/// A plugin's arguments, for its `new`. A field of the wrong type is an `Err` whose text reaches the user.
#[derive(Clone, Copy)]
pub struct Args<'a>(pub(crate) Value<'a>);

impl<'a> Args<'a> {
    /// The arguments as a tree.
    pub fn value(&self) -> Value<'a> {
        self.0
    }
    /// An `Err` if there is a field that is none of these. Any arguments may have `apiVersion` and `kind`.
    pub fn only(&self, names: &[&str]) -> Result<(), String> {
        let of_any = ["apiVersion", "kind"];
        match self.0.members().find(|(name, _)| !names.contains(name) && !of_any.contains(name)) {
            None => Ok(()),
            Some((name, _)) if names.is_empty() => Err(format!("{name}: unknown field; there are no arguments")),
            Some((name, _)) => Err(format!("{name}: unknown field; the arguments are {}", names.join(", "))),
        }
    }
    /// A whole number that fits `T`, or `absent`.
    pub fn integer<T: TryFrom<i64>>(&self, name: &str, absent: T) -> Result<T, String> {
        let v = self.0.get(name);
        if v.is_null() {
            return Ok(absent);
        }
        let n = v.as_i64().ok_or_else(|| format!("{name}: expected a whole number"))?;
        T::try_from(n).map_err(|_| format!("{name}: {n} is out of range"))
    }
    pub fn boolean(&self, name: &str, absent: bool) -> Result<bool, String> {
        let v = self.0.get(name);
        if v.is_null() {
            return Ok(absent);
        }
        v.as_bool().ok_or_else(|| format!("{name}: expected true or false"))
    }
    pub fn string(&self, name: &str, absent: &str) -> Result<String, String> {
        let v = self.0.get(name);
        if v.is_null() {
            return Ok(absent.to_string());
        }
        v.as_str().map(str::to_string).ok_or_else(|| format!("{name}: expected a string"))
    }
    /// A number, which may have a fraction.
    pub fn number(&self, name: &str, absent: f64) -> Result<f64, String> {
        let v = self.0.get(name);
        if v.is_null() {
            return Ok(absent);
        }
        v.as_f64().ok_or_else(|| format!("{name}: expected a number"))
    }
    /// An object within the arguments; one without fields if it is absent. Errors in it do not name it.
    pub fn object(&self, name: &str) -> Result<Args<'a>, String> {
        let v = self.0.get(name);
        if !v.is_null() && v.kind() != raw::BERTH_VALUE_OBJECT {
            return Err(format!("{name}: expected an object"));
        }
        Ok(Args(v))
    }
    /// A list of strings; empty if it is absent.
    pub fn strings(&self, name: &str) -> Result<Vec<String>, String> {
        let v = self.0.get(name);
        if !v.is_null() && v.kind() != raw::BERTH_VALUE_ARRAY {
            return Err(format!("{name}: expected a list of strings"));
        }
        let text = |(i, item): (usize, Value)| {
            item.as_str().map(str::to_string).ok_or_else(|| format!("{name}[{i}]: expected a string"))
        };
        v.items().enumerate().map(text).collect()
    }
}
