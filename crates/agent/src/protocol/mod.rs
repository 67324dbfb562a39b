//! The agent protocol: messages between Ambler and a program that decides its actions, as
//! msgpack maps. How they travel (pipes today) is not this module's concern;
//! `exec` frames them by length. `docs/FORMATS.md` describes every field.
//!
//! Never trusts what it decodes: an answer of n bytes costs memory in proportion to n, whatever
//! lengths it claims, and nesting is limited.

mod published;
mod request;
mod response;

pub use request::{encode_act, encode_close, encode_hello, encode_reset};
pub use response::{Act, Hello, decode_act, decode_action, decode_hello, decode_ready};

/// Version of the protocol; an agent that answers `hello` with another is refused.
pub const PROTOCOL_VERSION: u64 = 1;

/// Longest answer of an agent, bytes. An action takes about 30.
pub const MAX_ANSWER_BYTES: u32 = 1 << 20;
