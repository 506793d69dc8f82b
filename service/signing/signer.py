"""Ed25519 signatures by libsodium, which PyNaCl brings along, with Python's lock held.

PyNaCl lets other threads run for the 20 us of a signature; to get the lock back costs a busy process as much again.
"""

import ctypes
from collections.abc import Callable
from typing import Final

import nacl._sodium  # type: ignore[import-not-found]  # it has no types
import nacl.signing

_SIGNATURE_BYTES: Final = 64
_PROBE: Final = b"reibach"
_ARGUMENTS: Final = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_ulonglong, ctypes.c_char_p)
"""Signature, its length (not asked for), text, its length, private key."""

Signer = Callable[[bytes], bytes]
"""The signature of a text, 64 bytes."""


def make_signer(seed: bytes) -> Signer:
    """What signs with the key of these 32 bytes: libsodium, or PyNaCl where that hides it, or it signs differently."""
    key = nacl.signing.SigningKey(seed)

    def sign_by_nacl(text: bytes) -> bytes:
        return bytes(key.sign(text).signature)

    try:
        sign = _make_sodium_signer(bytes(key) + bytes(key.verify_key))  # libsodium's form of a private key
        return sign if sign(_PROBE) == sign_by_nacl(_PROBE) else sign_by_nacl
    except (AttributeError, OSError):
        return sign_by_nacl


def _make_sodium_signer(private: bytes) -> Signer:
    """Raises AttributeError or OSError where PyNaCl's library doesn't have the function."""
    sign_detached = ctypes.PyDLL(nacl._sodium.__file__).crypto_sign_detached  # noqa: SLF001 - a test looks whether it is there
    sign_detached.argtypes = _ARGUMENTS
    sign_detached.restype = ctypes.c_int

    def sign(text: bytes) -> bytes:
        signature = ctypes.create_string_buffer(_SIGNATURE_BYTES)
        if sign_detached(signature, None, text, len(text), private) != 0:
            raise RuntimeError("libsodium can't sign")
        return signature.raw

    return sign
