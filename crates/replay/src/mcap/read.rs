use super::{MAGIC, op};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::Arc;

/// A chunk does not unpack to more than this.
const MOST_CHUNK: u64 = 256 << 20;
/// All chunks do not unpack to more than this.
const MOST_BYTES: u64 = 1 << 30;
/// LZ4 packs at most 255 bytes into one.
const MOST_PACKED: u64 = 256;

/// What is wrong with a file, and where.
pub(crate) type Damage = (usize, String);

/// A message of a file.
pub(crate) struct Found {
    pub(crate) topic: Arc<str>,
    pub(crate) sequence: u32,
    pub(crate) data: Vec<u8>,
    /// Where it or its chunk begins.
    pub(crate) byte: usize,
}

/// What a file holds, as far as it can be read.
#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) profile: String,
    pub(crate) messages: Vec<Found>,
    /// What is wrong behind the messages, and where.
    pub(crate) damage: Option<Damage>,
}

/// Reads a file from the front.
///
/// # Errors
/// It is not an MCAP file.
pub(crate) fn read(bytes: &[u8]) -> Result<Contents, Damage> {
    if !bytes.starts_with(&MAGIC) {
        return Err((0, "not an MCAP file".to_owned()));
    }
    let mut reader = Reader { contents: Contents::default(), channels: BTreeMap::new(), unpacked: 0 };
    if let Err(damage) = reader.file(bytes) {
        reader.contents.damage = Some(damage);
    }
    Ok(reader.contents)
}

struct Reader {
    contents: Contents,
    channels: BTreeMap<u16, Arc<str>>,
    unpacked: u64,
}

impl Reader {
    fn file(&mut self, bytes: &[u8]) -> Result<(), Damage> {
        let mut cursor = Cursor { bytes, at: MAGIC.len() };
        loop {
            let start = cursor.at;
            if cursor.rest() == 0 {
                return Err((start, "the file ends without a footer: it is cut off".to_owned()));
            }
            let (opcode, body) = cursor.record()?;
            let mut body_cursor = Cursor { bytes: body, at: 0 };
            let at_start = |(at, what): Damage| (start + 9 + at, what);
            match opcode {
                op::HEADER => {
                    self.contents.profile = body_cursor.string().map_err(at_start)?.to_owned();
                }
                op::CHUNK => self.chunk(body_cursor, start)?,
                op::SCHEMA | op::CHANNEL | op::MESSAGE => {
                    self.record(opcode, body, start).map_err(at_start)?;
                }
                op::DATA_END => return Ok(()),
                op::FOOTER => return Ok(()),
                // Indexes, attachments, what later versions add.
                _ => {}
            }
        }
    }

    fn chunk(&mut self, mut body: Cursor<'_>, start: usize) -> Result<(), Damage> {
        let at = |(at, what): Damage| (start + 9 + at, what);
        let wrong = |what: String| (start, what);
        body.u64().map_err(at)?;
        body.u64().map_err(at)?;
        let size = body.u64().map_err(at)?;
        let crc = body.u32().map_err(at)?;
        let compression = body.string().map_err(at)?;
        let packed_size = body.u64().map_err(at)?;
        let packed = body.take(packed_size).map_err(at)?;
        self.unpacked = self.unpacked.saturating_add(size);
        let possible = (packed.len() as u64).saturating_mul(MOST_PACKED).saturating_add(1024);
        if size > MOST_CHUNK || size > possible || self.unpacked > MOST_BYTES {
            return Err(wrong(format!("a chunk claims to unpack to {size} bytes")));
        }
        let unpacked;
        let records = match compression {
            "" => packed,
            "lz4" => {
                let mut out = Vec::new();
                lz4_flex::frame::FrameDecoder::new(packed)
                    .take(size + 1)
                    .read_to_end(&mut out)
                    .map_err(|error| wrong(format!("a chunk cannot be unpacked: {error}")))?;
                unpacked = out;
                unpacked.as_slice()
            }
            other => {
                return Err(wrong(format!("a chunk is packed with {other:?}, which is not read here")));
            }
        };
        if records.len() as u64 != size {
            return Err(wrong(format!("a chunk unpacks to {} bytes and not to {size}", records.len())));
        }
        if crc != 0 && crc32fast::hash(records) != crc {
            return Err(wrong("the checksum of a chunk is wrong: the file is damaged".to_owned()));
        }
        let mut cursor = Cursor { bytes: records, at: 0 };
        while cursor.rest() > 0 {
            let inside = |(at, what): Damage| (start, format!("{what} (byte {at} of the chunk)"));
            let (opcode, body) = cursor.record().map_err(inside)?;
            self.record(opcode, body, start).map_err(inside)?;
        }
        Ok(())
    }

    fn record(&mut self, opcode: u8, body: &[u8], byte: usize) -> Result<(), Damage> {
        let mut cursor = Cursor { bytes: body, at: 0 };
        match opcode {
            op::CHANNEL => {
                let number = cursor.u16()?;
                cursor.u16()?;
                self.channels.insert(number, cursor.string()?.into());
            }
            op::MESSAGE => {
                let number = cursor.u16()?;
                let sequence = cursor.u32()?;
                cursor.u64()?;
                cursor.u64()?;
                let Some(topic) = self.channels.get(&number) else {
                    return Err((0, format!("a message is on channel {number}, which does not exist")));
                };
                let data = body.get(cursor.at..).unwrap_or(&[]).to_vec();
                self.contents.messages.push(Found { topic: Arc::clone(topic), sequence, data, byte });
            }
            _ => {}
        }
        Ok(())
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], Damage> {
        let end = usize::try_from(count).ok().and_then(|count| self.at.checked_add(count));
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        match (taken, end) {
            (Some(taken), Some(end)) => {
                self.at = end;
                Ok(taken)
            }
            _ => Err((self.at, format!("{count} bytes are announced and {} are there", self.rest()))),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N as u64)?);
        Ok(array)
    }

    fn u16(&mut self) -> Result<u16, Damage> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, Damage> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, Damage> {
        self.array().map(u64::from_le_bytes)
    }

    fn string(&mut self) -> Result<&'a str, Damage> {
        let length = self.u32()?;
        let at = self.at;
        let bytes = self.take(length.into())?;
        std::str::from_utf8(bytes).map_err(|_| (at, "a name is not text".to_owned()))
    }

    /// Opcode and content of the next record.
    fn record(&mut self) -> Result<(u8, &'a [u8]), Damage> {
        let [opcode] = self.array()?;
        let length = self.u64()?;
        Ok((opcode, self.take(length)?))
    }
}
