"""A bit generator that draws what it is told: what a sampler of NumPy's makes of chosen bits."""

import ctypes
from contextlib import nullcontext

import numpy as np

_STATE = ctypes.c_void_p
_U64 = ctypes.CFUNCTYPE(ctypes.c_uint64, _STATE)
_U32 = ctypes.CFUNCTYPE(ctypes.c_uint32, _STATE)
_DOUBLE = ctypes.CFUNCTYPE(ctypes.c_double, _STATE)


class _BitGen(ctypes.Structure):
    """NumPy's ``bitgen_t`` (numpy/random/bitgen.h)."""

    _fields_ = [("state", _STATE), ("next_uint64", _U64), ("next_uint32", _U32),
                ("next_double", _DOUBLE), ("next_raw", _U64)]  # fmt: skip


class ScriptedBits:
    """Words of 64 bits, one after the other; ``generator()`` draws from them."""

    def __init__(self, *words):
        self._words = iter(words)
        word = _U64(lambda _: next(self._words))
        self._gen = _BitGen(
            None, word, _U32(lambda _: next(self._words) >> 32),
            _DOUBLE(lambda _: (next(self._words) >> 11) * 2.0**-53), word,
        )  # fmt: skip
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [_STATE, ctypes.c_char_p, _STATE]
        self.capsule = new(ctypes.addressof(self._gen), b"BitGenerator", None)
        self.lock = nullcontext()

    def generator(self):
        """Return a Generator of these bits, which lives as long as they do."""
        return np.random.Generator(self)
