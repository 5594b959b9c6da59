"""The rules of games, which Numba compiles when they are first used, and what they call: bits and random numbers.

Numba takes seconds to import. A program that only lists games, with their options and players, does not load it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from cardgym.engine.jit import JIT_DISABLED

F = TypeVar("F", bound=Callable[..., Any])


def rule(function: F) -> F:
    """Return a rule of a game, `function`, compiled; as plain Python with `NUMBA_DISABLE_JIT=1`.

    A rule may call other rules. On disk are the entry points that contain it, and what Python calls directly.
    """
    function.__dict__["is_rule"] = True
    return function if JIT_DISABLED else cast(F, Rule(function))


def is_rule(function: Any) -> bool:
    """Whether a function was made by `rule`."""
    return getattr(function, "is_rule", False) is True


class Rule:
    """A compiled function. Compiled code sees Numba's dispatcher in its place, through `_numba_type_`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function

    @cached_property
    def dispatcher(self) -> Any:
        """What compiled code calls."""
        from cardgym.engine.compilation import inlined_rule

        return inlined_rule(self.py_func)

    @cached_property
    def _for_python(self) -> Callable[..., Any]:
        from cardgym.engine.compilation import rule_for_python

        return rule_for_python(self.py_func)

    def forget_code(self) -> None:
        """Compile anew at the next use, because a function or a value that this one reads has changed."""
        self.__dict__.pop("dispatcher", None)
        self.__dict__.pop("_for_python", None)

    @property
    def _numba_type_(self) -> Any:
        """The dispatcher's type in Numba."""
        from numba import typeof

        return typeof(self.dispatcher)  # type: ignore[no-untyped-call]

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self._for_python(*arguments)

    def __reduce__(self) -> str:
        return cast(str, self.__qualname__)  # type: ignore[attr-defined]  # Pickled by name, like a function.


# -- bits of numbers as arrays of 0 and 1 -----------------------------------------------------------------------------


@rule
def count_bits(values: int) -> int:
    """Return the number of bits that are 1."""
    count = 0
    while values:  # LLVM turns this loop into one instruction.
        values &= values - 1
        count += 1
    return count


@rule
def write_bits(values: int, count: int, out: npt.NDArray[Any], start: int) -> None:
    """Write the lowest `count` bits of `values` to `out[start:]` as 0 and 1, lowest bit first.

    `out` is int8 or float32 and contiguous; indices are not checked.
    """
    # The last block overlaps the one before and writes the same bits again: cheaper than a loop over the rest.
    if count >= 16:
        write_16(values, out, start)
        for first in range(16, count - 16, 16):
            write_16(values >> first, out, start + first)
        write_16(values >> (count - 16), out, start + count - 16)
    elif count >= 8:
        write_8(values, out, start)
        write_8(values >> (count - 8), out, start + count - 8)
    else:
        for place in range(count):
            out[np.uint64(start + place)] = (values >> place) & 1


@rule
def write_zeros(out: npt.NDArray[Any], start: int, stop: int) -> None:
    """Set `out[start:stop]` to 0; indices are not checked."""
    for place in range(start, stop):
        out[np.uint64(place)] = 0


@rule
def count_32(mask: npt.NDArray[np.int8], start: int) -> int:
    """Return the number of ones in `mask[start : start + 32]`, whose values are 0 or 1; indices are not checked."""
    counts = 0
    for first in range(start, start + 32, 8):
        word = 0
        for place in range(8):  # LLVM turns this loop into one instruction: it reads the bytes of a number.
            word |= (int(mask[np.uint64(first + place)]) & 255) << (8 * place)
        counts += word
    return ((counts * 0x0101010101010101) >> 56) & 255  # The sum of the eight bytes.


def _vectorized(width: int) -> Callable[[F], F]:
    """Mark a function that writes `width` bits: `internals` compiles it to three vector instructions."""

    def mark(function: F) -> F:
        function.__dict__["vector_width"] = width
        return function

    return mark


@rule
@_vectorized(8)
def write_8(values: int, out: npt.NDArray[Any], start: int) -> None:
    """Write the lowest 8 bits of an integer."""
    for place in range(8):
        out[np.uint64(start + place)] = (values >> place) & 1


@rule
@_vectorized(16)
def write_16(values: int, out: npt.NDArray[Any], start: int) -> None:
    """Write the lowest 16 bits of an integer."""
    for place in range(16):
        out[np.uint64(start + place)] = (values >> place) & 1


# -- random numbers ----------------------------------------------------------------------------------------------------
# A generator is an array of two uint64, (key, counter). Its draws are those of SplitMix64 seeded with the key (Steele,
# Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). A stream can be copied, restarted or
# advanced by setting the two numbers. `derive` hashes keys.

Generator = npt.NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: what hashes multiply by, and the step of generators."""
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_PRIME = np.uint64(0xD6E8FEB86659FD93)
_ONE = np.uint64(1)
_S27 = np.uint64(27)
_S29 = np.uint64(29)
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
    """Return a 64-bit hash of an observation, never 0. Observations with the same hash share their values.

    Among n different observations a collision has probability about n^2 / 2^65: below 10^-6 for some millions.
    """
    bits = observation.view(np.uint32)
    key = GOLDEN
    for place in range(bits.shape[0]):
        # 0 and -0 are equal but differ in their bits.
        number = np.uint64(0) if observation[place] == 0 else np.uint64(bits[place])
        key = mix(key ^ number) + GOLDEN
    return np.uint64(1) if key == np.uint64(0) else key


@rule
def hash_in(key: np.uint64, number: np.uint64) -> np.uint64:
    """Return the hash of all that `key` is the hash of, and one more number."""
    return mix(key ^ number) + GOLDEN


@rule
def hash_words(words: npt.NDArray[Any], key: np.uint64) -> np.uint64:
    """Return a hash of whole numbers, from `key` on, in two lanes: each multiplication waits for the one before."""
    odd = _PRIME
    count = words.shape[0]
    for place in range(0, count - 1, 2):
        key = (key ^ np.uint64(words[place])) * GOLDEN
        odd = (odd ^ np.uint64(words[place + 1])) * _PRIME
        key ^= key >> _S29
        odd ^= odd >> _S29
    if count % 2:
        key = (key ^ np.uint64(words[count - 1])) * GOLDEN
    return mix(key + mix(odd))


@rule
def derive(key: np.uint64, number: np.uint64) -> np.uint64:
    """Return the key of substream `number` of `key`."""
    return mix(key + mix((number + _ONE) * GOLDEN))


@rule
def next_bits(generator: Generator) -> np.uint64:
    """Return the next 64 random bits."""
    generator[1] += _ONE
    return mix(generator[0] + generator[1] * GOLDEN)


@rule
def uniform(generator: Generator, n: int) -> int:
    """Return an exactly uniform integer in 0 .. n-1: Lemire's multiplication with rejection (ACM TOMACS 29, 2019)."""
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
    """Return a uniform float in [0, 1) with 53 random bits."""
    return np.float64(next_bits(generator) >> np.uint64(11)) / 9007199254740992.0


@rule
def uniform_legal(mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Return a legal action, drawn uniformly."""
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
    """Get the next `uniform_float` of generators with these keys and counters, (rows,) float64, computed by NumPy."""
    bits = inspect.unwrap(mix)(keys + (counters + _ONE) * GOLDEN)
    draws: npt.NDArray[np.float64] = (bits >> np.uint64(11)) / 9007199254740992.0
    return draws


# -- rules that a game may leave out ----------------------------------------------------------------------------------


@rule
def no_key(state: Any, seat: int) -> int:
    """Key and index in a game without either."""
    return -1


@rule
def one_deal(state: Any) -> int:
    """Return the deal in a game that is dealt once."""
    return 0


@rule
def lose_one(state: Any, seat: int) -> float:
    """Return the reward of a forfeit in a game of plus and minus one."""
    return -1.0


@rule
def one_game(state: Any) -> float:
    """Return the total score of a game with one winner."""
    return 1.0


@rule
def every_action(state: Any, mask: npt.NDArray[np.int8]) -> None:
    """Allow every action: the mask of a game in which all are always legal."""
    mask[:] = 1


@rule
def paid_most(state: Any, seat: int) -> float:
    """Return the score in a game that pays at its end: 1 for the highest payment, split equally in a tie."""
    winners = 0
    for other in range(state.num_players):
        if state.paid[other] > state.paid[seat]:
            return 0.0
        winners += state.paid[other] == state.paid[seat]
    return 1.0 / winners


@rule
def hides_nothing(state: Any, seat: int, generator: Generator) -> None:
    """Resampling in a game in which every seat sees everything."""


@rule
def no_resample(state: Any, seat: int, generator: Generator) -> None:
    """In place of resampling in a game that does not define it; `require_resample` refuses such a game."""


@rule
def rewards_from_paid(state: Any, out: npt.NDArray[np.float64]) -> None:
    """Add what the field `paid` has: the rewards of a game that writes its payments there."""
    for seat in range(state.num_players):
        out[seat] += state.paid[seat]


@rule
def no_symmetry(state: Any) -> None:
    """Leave a state as it is: its representative in a game without symmetries."""
