"""A numba type for vectors of sixteen 32-bit words, for the vector operations of the deep walk.

LLVM's optimizer would not find these operations, since it does not vectorize loops that keep a stack. Each function
here is one or a few LLVM instructions. On processors with shorter vectors, LLVM splits each vector into several.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model
from numba.np import arrayobj

LANES = 16
"""Number of words per vector. A lane is one word of a vector."""

U32 = npt.NDArray[np.uint32]

_I32 = ir.IntType(32)
_VECTOR = ir.VectorType(_I32, LANES)
_MASK = ir.VectorType(ir.IntType(1), LANES)


class _VectorType(types.Type):
    def __init__(self) -> None:
        super().__init__("Vector16")


vector_type = _VectorType()
"""The vector type that numba sees when it compiles a kernel."""


@register_model(_VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, _VECTOR)  # type: ignore[no-untyped-call]


class Vector:
    """The vector type that mypy sees. It is never instantiated."""


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = arrayobj.make_array(array_type)(context, builder, array).data  # type: ignore[no-untyped-call]
    return builder.bitcast(builder.gep(data, [index]), _VECTOR.as_pointer())


def _load(_context: Any, words: Any, _index: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], *arguments)
        return builder.load(address, align=4)

    return vector_type(words, types.int64), build


def _store(_context: Any, words: Any, _index: Any, vector: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], address, align=4)
        return context.get_dummy_value()

    return types.void(words, types.int64, vector), build


def _splat(builder: Any, word: Any) -> Any:
    vector = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), word, ir.Constant(_I32, 0))
    return builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES))


def _repeat(_context: Any, _word: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _splat(builder, builder.trunc(arguments[0], _I32))

    return vector_type(types.uint64), build


def _both(_context: Any, a: Any, b: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.and_(*arguments)

    return vector_type(a, b), build


def _ctpop(builder: Any, vector: Any) -> Any:
    function = builder.module.declare_intrinsic("llvm.ctpop.v16i32", (), ir.FunctionType(_VECTOR, [_VECTOR]))
    return builder.call(function, [vector])


def _counted(_context: Any, vector: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _ctpop(builder, arguments[0])

    return vector_type(vector), build


def _at_least(_context: Any, vector: Any, _limit: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        limit = _splat(builder, builder.trunc(arguments[1], _I32))
        mask = builder.icmp_unsigned(">=", arguments[0], limit)
        return builder.zext(builder.bitcast(mask, ir.IntType(LANES)), ir.IntType(64))

    return types.uint64(vector, types.int64), build


def _add_where(_context: Any, total: Any, vector: Any, _lanes: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        chosen = builder.bitcast(builder.trunc(arguments[2], ir.IntType(LANES)), _MASK)
        more = builder.select(chosen, arguments[1], ir.Constant(_VECTOR, None))
        return builder.add(arguments[0], more)

    return vector_type(total, vector, types.uint64), build


def _zeros(_context: Any) -> Any:
    def build(_context: Any, _builder: Any, _signature: Any, _arguments: Any) -> Any:
        return ir.Constant(_VECTOR, None)

    return vector_type(), build


def _total(_context: Any, vector: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        name = "llvm.vector.reduce.add.v16i32"
        function = builder.module.declare_intrinsic(name, (), ir.FunctionType(_I32, [_VECTOR]))
        return builder.zext(builder.call(function, arguments), ir.IntType(64))

    return types.int64(vector), build


load = cast(Callable[[U32, int], Vector], intrinsic(_load))
"""Loads a vector: sixteen words of a flat array from an index on."""
store = cast(Callable[[U32, int, Vector], None], intrinsic(_store))
"""Stores the sixteen words of a vector in a flat array from an index on."""
repeat = cast(Callable[[np.uint64], Vector], intrinsic(_repeat))
"""Makes a vector with the low 32 bits of a word in every lane."""
both = cast(Callable[[Vector, Vector], Vector], intrinsic(_both))
"""Bitwise AND of two vectors."""
counted = cast(Callable[[Vector], Vector], intrinsic(_counted))
"""Vector with the number of set bits of each lane."""
at_least = cast(Callable[[Vector, int], np.uint64], intrinsic(_at_least))
"""Compares each lane with a limit. Returns a bitmask with one bit per lane: 1 if the lane is at least the limit."""
add_where = cast(Callable[[Vector, Vector, np.uint64], Vector], intrinsic(_add_where))
"""Adds the second vector to the first in the lanes whose bit is set in the bitmask."""
zeros = cast(Callable[[], Vector], intrinsic(_zeros))
"""Vector with 0 in every lane."""
total = cast(Callable[[Vector], int], intrinsic(_total))
"""Sum of all lanes of a vector."""
