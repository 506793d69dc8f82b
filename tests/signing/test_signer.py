"""Signatures by libsodium itself."""

from random import Random

import nacl._sodium
import nacl.signing
import pytest

from service.signing import signer
from service.signing.signer import make_signer

SEED = bytes(range(32))


def test_signatures_are_those_of_pynacl() -> None:
    """Of texts of every length, and of zero bytes, by several keys; the key's text is nowhere in what signs."""
    chance = Random(1)
    for _ in range(5):
        seed = chance.randbytes(32)
        sign, key = make_signer(seed), nacl.signing.SigningKey(seed)
        for text in (*(chance.randbytes(length) for length in range(0, 300, 7)), bytes(40), b"x" * 100_000):
            assert sign(text) == key.sign(text).signature


def test_pynacl_has_the_function_that_signs_fast() -> None:
    """Else receipts cost a change of thread more: look where the new release of PyNaCl has libsodium."""
    assert "_make_sodium_signer" in make_signer(SEED).__qualname__


@pytest.mark.parametrize("fault", ["hidden", "other"])
def test_pynacl_signs_where_its_library_does_not(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the library has no such function, or another one of that name."""
    if fault == "hidden":
        monkeypatch.setattr(nacl._sodium, "__file__", "/nowhere/at/all.so")
    else:
        monkeypatch.setattr(signer, "_make_sodium_signer", lambda _private: lambda _text: bytes(64))
    assert make_signer(SEED)(b"text") == nacl.signing.SigningKey(SEED).sign(b"text").signature
