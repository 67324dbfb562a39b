"""The part of msgpack that the agent protocol needs, for machines without the msgpack package."""
import struct


def packb(value):
    """None, bool, int, float, str, bytes, list and dict to msgpack."""
    if value is None or value is False or value is True:
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return b"\xd3" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        text = value.encode()
        return b"\xdb" + struct.pack(">I", len(text)) + text
    if isinstance(value, (bytes, bytearray)):
        return b"\xc6" + struct.pack(">I", len(value)) + bytes(value)
    if isinstance(value, (list, tuple)):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(packb, value))
    if isinstance(value, dict):
        items = (packb(key) + packb(item) for key, item in value.items())
        return b"\xdf" + struct.pack(">I", len(value)) + b"".join(items)
    if hasattr(value, "item"):  # a NumPy scalar
        return packb(value.item())
    raise TypeError(f"msgpack has no {type(value).__name__}")


_NUMBERS = {0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
            0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
_LENGTHS = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I",
            0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I"}


def unpackb(data):
    """One msgpack value; bytes stay bytes."""
    return _read(memoryview(data), 0)[0]


def _read(data, at):
    tag = data[at]
    at += 1
    if tag < 0x80 or tag >= 0xE0:
        return (tag if tag < 0x80 else tag - 256), at
    if tag in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[tag], at
    if tag in _NUMBERS:
        return struct.unpack_from(_NUMBERS[tag], data, at)[0], at + struct.calcsize(_NUMBERS[tag])
    if tag < 0xC0:
        kind, length = ("map", tag & 15) if tag < 0x90 else ("list", tag & 15) if tag < 0xA0 else ("str", tag & 31)
    else:
        length = struct.unpack_from(_LENGTHS[tag], data, at)[0]
        at += struct.calcsize(_LENGTHS[tag])
        kind = "bin" if tag < 0xC7 else "str" if tag < 0xDC else "list" if tag < 0xDE else "map"
    if kind in ("bin", "str"):
        raw = bytes(data[at:at + length])
        return (raw.decode() if kind == "str" else raw), at + length
    items = []
    for _ in range(length * (2 if kind == "map" else 1)):
        item, at = _read(data, at)
        items.append(item)
    return (dict(zip(items[::2], items[1::2])) if kind == "map" else items), at
