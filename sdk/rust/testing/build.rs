// SPDX-License-Identifier: Apache-2.0
//! Compiles the fake host, which is C++ (`<berth/testing.hpp>`), with `CXX` or `c++`.

use std::path::{Path, PathBuf};
use std::process::{exit, Command};
use std::{env, ffi::OsString};

fn fail(text: &str) -> ! {
    eprintln!("berth-testing: {text}");
    exit(1)
}

fn run(command: &mut Command, needed: &str) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!("{command:?} ended with {status}")),
        Err(error) => fail(&format!("{:?} cannot be run: {error}; {needed}", command.get_program())),
    }
}

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    // This crate lies below PREFIX/share/berth/rust where Berth is installed, below sdk/rust in its sources.
    let headers = ["../../../../include", "../../include"].map(|way| here.join(way));
    let include = headers.iter().find(|folder| folder.join("berth/testing.hpp").is_file());
    let include = include.unwrap_or_else(|| fail(&format!("there is no berth/testing.hpp in {headers:?}; install berth-sdk")));

    let (source, object, archive) = (here.join("src/host.cpp"), out.join("host.o"), out.join("libberth_testing_host.a"));
    let compiler = env::var_os("CXX").unwrap_or_else(|| OsString::from("c++"));
    let flags = ["-std=c++20", "-fPIC", "-Wall", "-Wextra", "-c"];
    let mut compile = Command::new(compiler);
    compile.args(flags).arg("-I").arg(include).arg(&source).arg("-o").arg(&object);
    run(&mut compile, "install g++, or name a C++20 compiler by CXX");
    run(Command::new("ar").arg("crs").arg(&archive).arg(&object), "install binutils");

    let watched = |path: &Path| println!("cargo:rerun-if-changed={}", path.display());
    watched(&source);
    watched(&include.join("berth"));
    println!("cargo:rerun-if-env-changed=CXX");
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=berth_testing_host");
    println!("cargo:rustc-link-lib=stdc++");
}
