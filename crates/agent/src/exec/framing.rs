use std::io::{self, Read, Write};

/// Why no further message can be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    /// The stream ended between two messages.
    Closed,
    /// The stream ended inside a message.
    CutShort,
    /// The length prefix is beyond the limit; its four bytes.
    TooLong([u8; 4]),
    /// Reading failed.
    Failed(String),
}

/// Writes one message: its length as u32, little-endian, then its bytes.
pub(crate) fn write_message(to: &mut impl Write, message: &[u8]) -> io::Result<()> {
    let length = u32::try_from(message.len())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a message of 4 GiB or more"))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(message)?;
    to.flush()
}

/// Reads one message of at most `most` bytes. Memory grows with the bytes that arrive, not with
/// the length that is claimed.
pub(crate) fn read_message(from: &mut impl Read, most: u32) -> Result<Vec<u8>, Gone> {
    let mut prefix = Vec::with_capacity(4);
    let failed = |error: io::Error| Gone::Failed(error.to_string());
    from.by_ref().take(4).read_to_end(&mut prefix).map_err(failed)?;
    let prefix: [u8; 4] = match prefix.as_slice() {
        [] => return Err(Gone::Closed),
        &[a, b, c, d] => [a, b, c, d],
        _ => return Err(Gone::CutShort),
    };
    let length = u32::from_le_bytes(prefix);
    if length > most {
        return Err(Gone::TooLong(prefix));
    }
    let mut message = Vec::new();
    from.by_ref().take(u64::from(length)).read_to_end(&mut message).map_err(failed)?;
    if message.len() < length as usize {
        return Err(Gone::CutShort);
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_prefix_is_little_endian() {
        let mut bytes = Vec::new();
        write_message(&mut bytes, &[9; 258]).unwrap();
        assert_eq!(bytes[..4], [2, 1, 0, 0]);
        assert_eq!(read_message(&mut bytes.as_slice(), 258), Ok(vec![9; 258]));
        assert_eq!(read_message(&mut bytes.as_slice(), 257), Err(Gone::TooLong([2, 1, 0, 0])));
    }

    #[test]
    fn ends_are_told_apart() {
        assert_eq!(read_message(&mut [].as_slice(), 9), Err(Gone::Closed));
        assert_eq!(read_message(&mut [1, 0].as_slice(), 9), Err(Gone::CutShort));
        assert_eq!(read_message(&mut [2, 0, 0, 0, 7].as_slice(), 9), Err(Gone::CutShort));
    }

    proptest! {
        #[test]
        fn any_stream_ends(bytes: Vec<u8>) {
            let mut stream = bytes.as_slice();
            while read_message(&mut stream, 1000).is_ok() {}
        }
    }
}
