"""Compressed files without compressors: gzip by Python's module, zstd and lz4 with blocks that are stored as they are."""
import gzip as module
import struct


def gzip(data):
    return module.compress(data, mtime=0)


def zstd(data, block=100000):
    """A frame of raw blocks, RFC 8878 3.1.1; a window of 2 MiB, no checksum."""
    out = b'\x28\xb5\x2f\xfd' + bytes([0, 0x58])
    pieces = [data[at:at + block] for at in range(0, len(data), block)] or [b'']
    for i, piece in enumerate(pieces):
        out += struct.pack('<I', len(piece) << 3 | (i == len(pieces) - 1))[:3] + piece
    return out


def lz4(data, block=60000):
    """A frame of uncompressed blocks of at most 64 KiB, without checksums; 0x82 is that of these two header bytes."""
    out = b'\x04\x22\x4d\x18' + bytes([0x60, 0x40, 0x82])
    for at in range(0, len(data), block):
        piece = data[at:at + block]
        out += struct.pack('<I', len(piece) | 1 << 31) + piece
    return out + bytes(4)


def skippable(n):
    return struct.pack('<II', 0x184d2a50, n) + b'\x5a' * n


PACKERS = {'gz': gzip, 'zst': zstd, 'lz4': lz4}
