use super::{MAGIC, op};
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use std::collections::BTreeMap;
use std::io::Write as _;

/// A chunk is closed at the end of the step in which it grows beyond this.
const CHUNK_BYTES: usize = 1 << 18;

/// A channel and what its messages are.
pub(crate) struct Channel {
    pub(crate) topic: String,
    /// Name of the schema.
    pub(crate) schema: &'static str,
    /// The schema's text (JSON Schema).
    pub(crate) definition: String,
}

/// A message on a channel.
pub(crate) struct Message<'a> {
    /// Place of the channel in the list.
    pub(crate) channel: u16,
    pub(crate) sequence: u32,
    pub(crate) time_ns: u64,
    pub(crate) data: &'a [u8],
}

struct ChunkIndex {
    first_ns: u64,
    last_ns: u64,
    start: u64,
    length: u64,
    index_offsets: BTreeMap<u16, u64>,
    index_length: u64,
    compressed: u64,
    uncompressed: u64,
}

/// Writes a file into memory.
pub(crate) struct Writer {
    out: Vec<u8>,
    channels: Vec<Channel>,
    /// Schema of each channel: number from 1.
    schema_of: Vec<u16>,
    schemas: Vec<(&'static str, String)>,
    chunk: Vec<u8>,
    /// Messages of the open chunk by channel: time, offset.
    index: BTreeMap<u16, Vec<(u64, u64)>>,
    span_ns: Option<(u64, u64)>,
    last_ns: u64,
    chunks: Vec<ChunkIndex>,
    counts: BTreeMap<u16, u64>,
    metadata: Vec<(u64, u64, String)>,
}

impl Writer {
    pub(crate) fn new(library: &str, channels: Vec<Channel>) -> Self {
        let mut out = MAGIC.to_vec();
        record(&mut out, op::HEADER, |body| {
            string(body, "ambler");
            string(body, library);
        });
        let mut schemas: Vec<(&'static str, String)> = Vec::new();
        let schema_of = channels
            .iter()
            .map(|channel| {
                let known = schemas.iter().position(|(name, _)| *name == channel.schema);
                let place = known.unwrap_or_else(|| {
                    schemas.push((channel.schema, channel.definition.clone()));
                    schemas.len() - 1
                });
                place as u16 + 1
            })
            .collect();
        let mut writer = Self {
            out,
            channels,
            schema_of,
            schemas,
            chunk: Vec::new(),
            index: BTreeMap::new(),
            span_ns: None,
            last_ns: 0,
            chunks: Vec::new(),
            counts: BTreeMap::new(),
            metadata: Vec::new(),
        };
        // A file that is cut off after its first chunk knows all its channels.
        let mut chunk = Vec::new();
        writer.describe(&mut chunk);
        writer.chunk = chunk;
        writer
    }

    /// Schemas and channels, in order.
    fn describe(&self, out: &mut Vec<u8>) {
        for (number, (name, definition)) in (1u16..).zip(&self.schemas) {
            record(out, op::SCHEMA, |body| {
                body.extend(number.to_le_bytes());
                string(body, name);
                string(body, "jsonschema");
                string(body, definition);
            });
        }
        for ((number, channel), schema) in (0u16..).zip(&self.channels).zip(&self.schema_of) {
            record(out, op::CHANNEL, |body| {
                body.extend(number.to_le_bytes());
                body.extend(schema.to_le_bytes());
                string(body, &channel.topic);
                string(body, "json");
                body.extend(0u32.to_le_bytes());
            });
        }
    }

    pub(crate) fn metadata(&mut self, name: &str, values: &[(&str, String)]) {
        let start = self.out.len() as u64;
        record(&mut self.out, op::METADATA, |body| {
            string(body, name);
            sized(body, |map| {
                for (key, value) in values {
                    string(map, key);
                    string(map, value);
                }
            });
        });
        self.metadata.push((start, self.out.len() as u64 - start, name.to_owned()));
    }

    /// Adds a message; times never go down.
    pub(crate) fn message(&mut self, message: &Message<'_>) {
        let time = message.time_ns;
        if self.chunk.len() > CHUNK_BYTES && time != self.last_ns {
            self.close_chunk();
        }
        self.last_ns = time;
        let offset = self.chunk.len() as u64;
        record(&mut self.chunk, op::MESSAGE, |body| {
            body.extend(message.channel.to_le_bytes());
            body.extend(message.sequence.to_le_bytes());
            body.extend(time.to_le_bytes());
            body.extend(time.to_le_bytes());
            body.extend(message.data);
        });
        self.index.entry(message.channel).or_default().push((time, offset));
        self.span_ns = Some((self.span_ns.map_or(time, |(first, _)| first), time));
        *self.counts.entry(message.channel).or_default() += 1;
    }

    fn close_chunk(&mut self) {
        let Some((first_ns, last_ns)) = self.span_ns.take() else { return };
        let records = std::mem::take(&mut self.chunk);
        let packed = pack(&records);
        let start = self.out.len() as u64;
        record(&mut self.out, op::CHUNK, |body| {
            body.extend(first_ns.to_le_bytes());
            body.extend(last_ns.to_le_bytes());
            body.extend((records.len() as u64).to_le_bytes());
            body.extend(crc32fast::hash(&records).to_le_bytes());
            string(body, "lz4");
            body.extend((packed.len() as u64).to_le_bytes());
            body.extend(&packed);
        });
        let length = self.out.len() as u64 - start;
        let mut index_offsets = BTreeMap::new();
        for (channel, messages) in std::mem::take(&mut self.index) {
            index_offsets.insert(channel, self.out.len() as u64);
            record(&mut self.out, op::MESSAGE_INDEX, |body| {
                body.extend(channel.to_le_bytes());
                sized(body, |list| {
                    for (time, offset) in &messages {
                        list.extend(time.to_le_bytes());
                        list.extend(offset.to_le_bytes());
                    }
                });
            });
        }
        self.chunks.push(ChunkIndex {
            first_ns,
            last_ns,
            start,
            length,
            index_offsets,
            index_length: self.out.len() as u64 - start - length,
            compressed: packed.len() as u64,
            uncompressed: records.len() as u64,
        });
    }

    /// The whole file.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.close_chunk();
        record(&mut self.out, op::DATA_END, |body| body.extend(0u32.to_le_bytes()));
        let summary_start = self.out.len();
        let mut summary = Vec::new();
        self.describe(&mut summary);
        let total = |values: &mut dyn Iterator<Item = u64>| values.fold(0, u64::wrapping_add);
        record(&mut summary, op::STATISTICS, |body| {
            body.extend(total(&mut self.counts.values().copied()).to_le_bytes());
            body.extend((self.schemas.len() as u16).to_le_bytes());
            body.extend((self.channels.len() as u32).to_le_bytes());
            body.extend(0u32.to_le_bytes());
            body.extend((self.metadata.len() as u32).to_le_bytes());
            body.extend((self.chunks.len() as u32).to_le_bytes());
            body.extend(self.chunks.first().map_or(0, |chunk| chunk.first_ns).to_le_bytes());
            body.extend(self.chunks.last().map_or(0, |chunk| chunk.last_ns).to_le_bytes());
            sized(body, |map| {
                for (channel, count) in &self.counts {
                    map.extend(channel.to_le_bytes());
                    map.extend(count.to_le_bytes());
                }
            });
        });
        for chunk in &self.chunks {
            record(&mut summary, op::CHUNK_INDEX, |body| {
                for value in [chunk.first_ns, chunk.last_ns, chunk.start, chunk.length] {
                    body.extend(value.to_le_bytes());
                }
                sized(body, |map| {
                    for (channel, offset) in &chunk.index_offsets {
                        map.extend(channel.to_le_bytes());
                        map.extend(offset.to_le_bytes());
                    }
                });
                body.extend(chunk.index_length.to_le_bytes());
                string(body, "lz4");
                body.extend(chunk.compressed.to_le_bytes());
                body.extend(chunk.uncompressed.to_le_bytes());
            });
        }
        for (start, length, name) in &self.metadata {
            record(&mut summary, op::METADATA_INDEX, |body| {
                body.extend(start.to_le_bytes());
                body.extend(length.to_le_bytes());
                string(body, name);
            });
        }
        // The checksum covers the footer up to itself.
        summary.push(op::FOOTER);
        summary.extend(20u64.to_le_bytes());
        summary.extend((summary_start as u64).to_le_bytes());
        summary.extend(0u64.to_le_bytes());
        let crc = crc32fast::hash(&summary);
        self.out.extend(&summary);
        self.out.extend(crc.to_le_bytes());
        self.out.extend(MAGIC);
        self.out
    }
}

/// An LZ4 frame.
fn pack(records: &[u8]) -> Vec<u8> {
    let info = FrameInfo::new().block_size(BlockSize::Max1MB).block_mode(BlockMode::Linked);
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    // Writing into memory does not fail.
    let _ = encoder.write_all(records);
    encoder.finish().unwrap_or_default()
}

fn record(out: &mut Vec<u8>, opcode: u8, body: impl FnOnce(&mut Vec<u8>)) {
    out.push(opcode);
    let at = out.len();
    out.extend([0; 8]);
    body(out);
    let length = (out.len() - at - 8) as u64;
    out[at..at + 8].copy_from_slice(&length.to_le_bytes());
}

/// Bytes with their length in front.
fn sized(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend([0; 4]);
    body(out);
    let length = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&length.to_le_bytes());
}

fn string(out: &mut Vec<u8>, text: &str) {
    sized(out, |out| out.extend(text.as_bytes()));
}
