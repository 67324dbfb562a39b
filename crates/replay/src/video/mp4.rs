//! The MP4 container for one H.264 track with frames of equal length: `ftyp`, `moov`, then `mdat`, so
//! that a player can begin before it has all. ISO/IEC 14496-12 and 14496-15.

/// One track.
#[derive(Default)]
pub(super) struct Track {
    pub(super) width: u16,
    pub(super) height: u16,
    /// Frames a second.
    pub(super) rate: u32,
    /// Sequence and picture parameter set, without start codes.
    pub(super) sps: Vec<u8>,
    pub(super) pps: Vec<u8>,
    /// Frames: units with their length in front (4 bytes, big-endian), and whether a player can begin
    /// here.
    pub(super) frames: Vec<(Vec<u8>, bool)>,
}

/// The unit matrix of a track.
const MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

impl Track {
    /// The bytes of the file.
    pub(super) fn file(&self) -> Vec<u8> {
        let mut out = Vec::new();
        boxed(&mut out, b"ftyp", |out| {
            out.extend(b"isom");
            long(out, 512);
            out.extend(b"isomiso2avc1mp41");
        });
        // The table of contents says where the frames are, which depends on its own length.
        let mut moov = Vec::new();
        self.moov(&mut moov, 0);
        let data_at = out.len() + moov.len() + 8;
        self.moov(&mut out, data_at as u32);
        boxed(&mut out, b"mdat", |out| {
            for (frame, _) in &self.frames {
                out.extend(frame);
            }
        });
        out
    }

    fn moov(&self, out: &mut Vec<u8>, data_at: u32) {
        let count = self.frames.len() as u32;
        boxed(out, b"moov", |out| {
            full(out, b"mvhd", 0, 0, |out| {
                longs(out, &[0, 0, self.rate, count, 0x1_0000]);
                short(out, 0x100);
                out.extend([0; 10]);
                longs(out, &MATRIX);
                out.extend([0; 24]);
                long(out, 2);
            });
            boxed(out, b"trak", |out| {
                // Enabled, in the film.
                full(out, b"tkhd", 0, 3, |out| {
                    longs(out, &[0, 0, 1, 0, count, 0, 0, 0, 0]);
                    longs(out, &MATRIX);
                    longs(out, &[u32::from(self.width) << 16, u32::from(self.height) << 16]);
                });
                boxed(out, b"mdia", |out| self.mdia(out, data_at));
            });
        });
    }

    fn mdia(&self, out: &mut Vec<u8>, data_at: u32) {
        let count = self.frames.len() as u32;
        full(out, b"mdhd", 0, 0, |out| {
            longs(out, &[0, 0, self.rate, count]);
            // Language: und.
            short(out, 0x55C4);
            short(out, 0);
        });
        full(out, b"hdlr", 0, 0, |out| {
            long(out, 0);
            out.extend(b"vide");
            out.extend([0; 12]);
            out.extend(b"video\0");
        });
        boxed(out, b"minf", |out| {
            full(out, b"vmhd", 0, 1, |out| out.extend([0; 8]));
            boxed(out, b"dinf", |out| {
                full(out, b"dref", 0, 0, |out| {
                    long(out, 1);
                    full(out, b"url ", 0, 1, |_| {});
                });
            });
            boxed(out, b"stbl", |out| {
                full(out, b"stsd", 0, 0, |out| {
                    long(out, 1);
                    boxed(out, b"avc1", |out| self.avc1(out));
                });
                full(out, b"stts", 0, 0, |out| longs(out, &[1, count, 1]));
                full(out, b"stss", 0, 0, |out| {
                    let keys: Vec<u32> = (1u32..)
                        .zip(&self.frames)
                        .filter(|(_, (_, key))| *key)
                        .map(|(n, _)| n)
                        .collect();
                    long(out, keys.len() as u32);
                    longs(out, &keys);
                });
                // One chunk with all frames.
                full(out, b"stsc", 0, 0, |out| longs(out, &[1, 1, count, 1]));
                full(out, b"stsz", 0, 0, |out| {
                    longs(out, &[0, count]);
                    self.frames.iter().for_each(|(frame, _)| long(out, frame.len() as u32));
                });
                full(out, b"stco", 0, 0, |out| longs(out, &[1, data_at]));
            });
        });
    }

    fn avc1(&self, out: &mut Vec<u8>) {
        out.extend([0; 6]);
        short(out, 1);
        out.extend([0; 16]);
        short(out, self.width);
        short(out, self.height);
        // 72 pixels an inch.
        longs(out, &[0x48_0000, 0x48_0000, 0]);
        short(out, 1);
        out.extend([0; 32]);
        short(out, 24);
        short(out, 0xFFFF);
        boxed(out, b"avcC", |out| {
            let profile = self.sps.get(1..4).unwrap_or(&[0x42, 0xE0, 0x1F]);
            out.push(1);
            out.extend(profile);
            // Lengths of four bytes; one set of each kind.
            out.extend([0xFF, 0xE1]);
            short(out, self.sps.len() as u16);
            out.extend(&self.sps);
            out.push(1);
            short(out, self.pps.len() as u16);
            out.extend(&self.pps);
        });
        // ITU-R BT.601 colours, limited range: as the frames are converted.
        boxed(out, b"colr", |out| {
            out.extend(b"nclx");
            for code in [6u16, 6, 6] {
                short(out, code);
            }
            out.push(0);
        });
    }
}

fn short(out: &mut Vec<u8>, value: u16) {
    out.extend(value.to_be_bytes());
}

fn long(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_be_bytes());
}

fn longs(out: &mut Vec<u8>, values: &[u32]) {
    values.iter().for_each(|&value| long(out, value));
}

fn boxed(out: &mut Vec<u8>, kind: &[u8; 4], body: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    long(out, 0);
    out.extend(kind);
    body(out);
    let length = (out.len() - at) as u32;
    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
}

fn full(out: &mut Vec<u8>, kind: &[u8; 4], version: u8, flags: u32, body: impl FnOnce(&mut Vec<u8>)) {
    boxed(out, kind, |out| {
        long(out, (u32::from(version) << 24) | flags);
        body(out);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The boxes of a container, by name.
    fn boxes(mut bytes: &[u8]) -> Vec<(String, &[u8])> {
        let mut found = Vec::new();
        while let Some((head, _)) = bytes.split_at_checked(8) {
            let length = u32::from_be_bytes(head[..4].try_into().unwrap()) as usize;
            let (one, rest) = bytes.split_at(length);
            found.push((String::from_utf8(head[4..].to_vec()).unwrap(), &one[8..]));
            bytes = rest;
        }
        found
    }

    #[test]
    fn the_table_of_contents_points_at_the_frames() {
        let frames = vec![(vec![0, 0, 0, 2, 0x65, 7], true), (vec![0, 0, 0, 1, 0x41], false)];
        let (sps, pps) = (vec![0x67, 0x42, 0xC0, 0x1F, 1], vec![0x68, 2]);
        let track = Track { width: 960, height: 540, rate: 10, sps, pps, frames };
        let file = track.file();
        let top = boxes(&file);
        let names: Vec<&str> = top.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["ftyp", "moov", "mdat"], "a player can begin before it has all");
        let data = file.windows(4).position(|window| window == b"mdat").unwrap() + 4;
        let stco = file.windows(4).position(|window| window == b"stco").unwrap();
        let at = u32::from_be_bytes(file[stco + 12..stco + 16].try_into().unwrap());
        assert_eq!(at as usize, data);
        assert_eq!(&file[data..], [0, 0, 0, 2, 0x65, 7, 0, 0, 0, 1, 0x41]);
        let trak = boxes(top[1].1).into_iter().find(|(name, _)| name == "trak").unwrap().1;
        let inner: Vec<String> = boxes(trak).into_iter().map(|(name, _)| name).collect();
        assert_eq!(inner, ["tkhd", "mdia"]);
        assert_eq!(boxes(trak)[0].1.len(), 84, "a track header of version 0");
    }
}
