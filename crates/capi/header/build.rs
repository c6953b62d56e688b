//! Writes the header that the sources of the C interface make.

use std::path::Path;

fn main() {
    let capi = Path::new("..");
    let config = capi.join("cbindgen.toml");
    let sources = ["lib", "status", "device", "module", "options", "launch", "report"]
        .map(|name| capi.join(format!("src/{name}.rs")));
    for read in sources.iter().chain([&config]) {
        println!("cargo::rerun-if-changed={}", read.display());
    }
    let config = cbindgen::Config::from_file(&config).expect("the configuration");
    let bindings = cbindgen::Builder::new().with_config(config);
    let bindings = sources.iter().fold(bindings, cbindgen::Builder::with_src);
    let out = std::env::var_os("OUT_DIR").expect("cargo says where to");
    bindings.generate().expect("the sources can be read").write_to_file(Path::new(&out).join("wavemark.h"));
}
