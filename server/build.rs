//! Migrations are read by a macro, which the compiler cannot see by itself.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
