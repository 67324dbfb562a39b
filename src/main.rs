//! The `ambler` program.
fn main() {}
