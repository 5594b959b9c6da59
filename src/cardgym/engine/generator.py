"""The counter-based random number generator of the kernel.

A generator is an array of two uint64, (key, counter). Its draws are those of SplitMix64 seeded with the key (Steele,
Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). A stream can be copied, restarted or
advanced by setting the two numbers. `derive` hashes keys.
"""

from __future__ import annotations

import inspect

import numpy as np
import numpy.typing as npt

from cardgym.engine.numba.rules import JIT_DISABLED, count_32, rule

Generator = npt.NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_S27 = np.uint64(27)
_S30 = np.uint64(30)
_S31 = np.uint64(31)
_S32 = np.uint64(32)
_LOW32 = np.uint64(0xFFFFFFFF)

if JIT_DISABLED:
    # These multiplications overflow on purpose: silence NumPy's warnings, which compiled code does not raise.
    np.seterr(over="ignore")


@rule
def mix(value: np.uint64) -> np.uint64:
    """SplitMix64's finalizer: a bijection of 64 bits in which every input bit affects every output bit."""
    value = (value ^ (value >> _S30)) * _MIX1
    value = (value ^ (value >> _S27)) * _MIX2
    return value ^ (value >> _S31)


@rule
def hash_of(observation: npt.NDArray[np.float32]) -> np.uint64:
    """A 64-bit hash of an observation, never 0. Observations with the same hash share their values.

    Among n different observations a collision has probability about n^2 / 2^65: below 10^-6 for some millions.
    """
    bits = observation.view(np.uint32)
    key = _GOLDEN
    for place in range(bits.shape[0]):
        # 0 and -0 are equal but differ in their bits.
        number = np.uint64(0) if observation[place] == 0 else np.uint64(bits[place])
        key = mix(key ^ number) + _GOLDEN
    return np.uint64(1) if key == np.uint64(0) else key


@rule
def derive(key: np.uint64, number: np.uint64) -> np.uint64:
    """The key of substream `number` of `key`."""
    return mix(key + mix((number + _ONE) * _GOLDEN))


@rule
def next_bits(generator: Generator) -> np.uint64:
    """The next 64 random bits."""
    generator[1] += _ONE
    return mix(generator[0] + generator[1] * _GOLDEN)


@rule
def uniform(generator: Generator, n: int) -> int:
    """An exactly uniform integer in 0 .. n-1: Lemire's multiplication with rejection (ACM TOMACS 29, 2019)."""
    bound = np.uint64(n)
    product = (next_bits(generator) >> _S32) * bound
    while (product & _LOW32) < bound:
        # Products whose lower half is below 2^32 mod n are rejected, so that all values are equally likely.
        if (product & _LOW32) >= (_LOW32 - bound + _ONE) % bound:
            break
        product = (next_bits(generator) >> _S32) * bound
    return np.int64(product >> _S32)  # type: ignore[return-value]  # When compiled, int() would stay unsigned.


@rule
def uniform_float(generator: Generator) -> float:
    """A uniform float in [0, 1) with 53 random bits."""
    return np.float64(next_bits(generator) >> np.uint64(11)) / 9007199254740992.0


@rule
def uniform_legal(mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """A legal action, drawn uniformly."""
    size = mask.shape[0]
    whole = size & ~31
    count = 0
    for start in range(0, whole, 32):
        count += count_32(mask, start)
    for action in range(size - whole):
        count += int(mask[np.uint64(whole + action)])  # Unsigned: no check for a negative index.
    place = uniform(generator, count)
    start = 0
    while start < whole and count_32(mask, start) <= place:
        place -= count_32(mask, start)
        start += 32
    seen = 0
    chosen = start
    for action in range(32 if start < whole else size - whole):
        # No early exit: the branch is unpredictable and costs more than finishing.
        seen += int(mask[np.uint64(start + action)])
        chosen += seen <= place
    return chosen


def draws_of(keys: npt.NDArray[np.uint64], counters: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """The next `uniform_float` of generators with these keys and counters, (rows,) float64, computed by NumPy."""
    bits = inspect.unwrap(mix)(keys + (counters + _ONE) * _GOLDEN)
    draws: npt.NDArray[np.float64] = (bits >> np.uint64(11)) / 9007199254740992.0
    return draws
