//! The part of the MCAP container (https://mcap.dev/spec) that episode logs use: chunks compressed
//! with LZ4, a summary with indexes. Written the same bytes for the same messages; read from the front,
//! so that a file that is cut off gives what came before.

mod read;
mod write;

pub(crate) use read::{Contents, read};
pub(crate) use write::{Channel, Message, Writer};

const MAGIC: [u8; 8] = [0x89, b'M', b'C', b'A', b'P', b'0', b'\r', b'\n'];

/// Opcodes of records.
mod op {
    pub(super) const HEADER: u8 = 0x01;
    pub(super) const FOOTER: u8 = 0x02;
    pub(super) const SCHEMA: u8 = 0x03;
    pub(super) const CHANNEL: u8 = 0x04;
    pub(super) const MESSAGE: u8 = 0x05;
    pub(super) const CHUNK: u8 = 0x06;
    pub(super) const MESSAGE_INDEX: u8 = 0x07;
    pub(super) const CHUNK_INDEX: u8 = 0x08;
    pub(super) const STATISTICS: u8 = 0x0B;
    pub(super) const METADATA: u8 = 0x0C;
    pub(super) const METADATA_INDEX: u8 = 0x0D;
    pub(super) const DATA_END: u8 = 0x0F;
}
