//! Gives the shared library the name by which the dynamic linker knows it, with the part of the version that breaks
//! programs when it changes: the major number, or the minor one while the major is 0.

fn main() {
    let part = |name: &str| std::env::var(format!("CARGO_PKG_VERSION_{name}")).unwrap_or_default();
    let breaking = match part("MAJOR").as_str() {
        "0" => format!("0.{}", part("MINOR")),
        major => major.to_owned(),
    };
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libwavemark.so.{breaking}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
