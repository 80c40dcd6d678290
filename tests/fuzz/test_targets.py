"""A share of the fuzzing that is the same each time: what targets start from, changed at random, and what was found."""

from __future__ import annotations

import io
import zipfile
from random import Random

import pytest
from tests.fuzz.targets import TARGETS, WORDS, seeds

CHANGES = {"engines": 1, "wrong": 4, "compiler": 8, "journal": 8}
"""How many of each are tried; of others more."""


def changed(content: bytes, rng: Random) -> bytes:
    """Some bytes deleted, doubled, replaced by others or by a word."""
    found = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(found) + 1)
        match rng.randrange(4):
            case 0:
                del found[at : at + rng.randint(1, 8)]
            case 1:
                found[at:at] = found[at : at + rng.randint(1, 40)]
            case 2:
                found[at : at + 1] = bytes([rng.randrange(256)])
            case _:
                found[at : at + rng.randint(0, 3)] = rng.choice(WORDS).encode()
    return bytes(found)


@pytest.mark.parametrize("name", TARGETS)
def test_what_a_fuzzer_would_try(name: str) -> None:
    rng, starts = Random(5), seeds(name)
    for _ in range(CHANGES.get(name, 40)):
        TARGETS[name](changed(rng.choice(starts), rng))


def _npz_with(header: str) -> bytes:
    """An NPZ file of one array with a header of one's own, and hardly any content."""
    text = header.encode() + b" " * (117 - len(header)) + b"\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("y.npy", b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + b"\0" * 16)
    return buffer.getvalue()


def _flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


FINDS: list[tuple[str, bytes]] = [
    *(("npz", _flipped(seeds("npz")[1], place)) for place in (39, 44, 60)),  # streams that zlib refuses
    ("npz", _npz_with("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }")),
    ("npz", _npz_with("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }")),
    ("jsonl", b'{"chain":0,"sweep":0,"particle":0,"log_weight":0,"predict":{"x":1}}\n'
              b'{"chain":0,"sweep":0,"particle":1,"log_weight":0,"predict":{"y":1}}\n'),
    ("jsonl", b'{"chain":0,"sweep":0,"particle":0,"log_weight":0,"predict":{"x":1}}\n{"chains":"a","particles":[]}\n'),
    ("jsonl", b'{"chain":1e999,"sweep":0,"particle":0,"log_weight":0,"predict":{"x":1}}\n'),
    ("jsonl", b'{"chain":0,"sweep":0,"particle":0,"log_weight":0,"predict":{"x":1.6533504721919760}}\n'
              b'{"chain":0,"sweep":1,"particle":0,"log_weight":0,"predict":{"x":1.6533504721919765}}\n'),
    ("draws-csv", b"chain,sweep,particle,log_weight,x\n0,1e999,0,0.0,1\n"),
    ("draws-csv", b"chain,sweep,particle,log_weight,x\n0,0,0,1e999,1\n0,1,0,NaN,1\n"),
]  # fmt: skip
"""What once ended in an exception of Python's, or brings it about."""


@pytest.mark.parametrize(("name", "content"), FINDS)
def test_what_was_found(name: str, content: bytes) -> None:
    TARGETS[name](content)
