"""Every record of a package, with a strategy that makes any instance of it.

Strategies are read off the record's own annotations, so a new record is tested by
being written.
"""

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any, cast

import msgspec
from hypothesis import strategies as st
from msgspec import inspect as types

from pm_orchestrator.domain.catalogue.reasons import all_reasons
from pm_orchestrator.domain.record import Record

JSON_NUMBERS = st.integers(-(2**53), 2**53)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | JSON_NUMBERS | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=3,
)
SIMPLE: dict[type[types.Type], st.SearchStrategy[Any]] = {
    types.AnyType: json_values,
    types.NoneType: st.none(),
    types.BoolType: st.booleans(),
    types.DecimalType: st.decimals(allow_nan=False, allow_infinity=False),
}
SIMPLE_SAMPLES: dict[type[types.Type], Any] = {
    types.VarTupleType: (),
    types.DictType: {},
    types.AnyType: {},
    types.BoolType: False,
    types.FloatType: 0.5,
    types.DecimalType: "0.5",
    types.NoneType: None,
}
RECORDS_IN_RECORDS = 1
REASON_FIELDS = frozenset({"reason_key", "key"})
"""Fields that must name a sentence of the catalogue."""


def records_of(*packages: str) -> list[type[Record]]:
    """All record classes that the modules of these packages define."""
    found = {kind for package in packages for kind in _defined_in(package)}
    return sorted(found, key=lambda kind: f"{kind.__module__}.{kind.__qualname__}")


def _defined_in(package: str) -> Iterator[type[Record]]:
    root = importlib.import_module(package)
    for info in pkgutil.walk_packages(root.__path__, prefix=f"{package}."):
        module = importlib.import_module(info.name)
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if issubclass(kind, Record) and kind is not Record and kind.__module__ == info.name:
                yield kind


@functools.cache
def instances(kind: type[Record]) -> st.SearchStrategy[Record]:
    """Any instance of `kind`, with any records in it; those in turn have simple ones in them.

    Each of them has its turn as the outermost one.
    """
    return _struct(cast("types.StructType", types.type_info(kind)), RECORDS_IN_RECORDS)


def _struct(info: types.StructType, depth: int) -> st.SearchStrategy[Any]:
    if depth < 0:
        return st.just(msgspec.convert(_sample_struct(info), info.cls))
    fields = {field.name: _field(info.cls, field, depth) for field in info.fields}
    return st.builds(info.cls, **fields)


def _field(owner: type, field: types.Field, depth: int) -> st.SearchStrategy[Any]:
    reasons = st.sampled_from(sorted(all_reasons()))
    made = reasons if _names_reason(owner, field) else _value(field.type, depth)
    if field.default is msgspec.UNSET:
        return st.just(msgspec.UNSET) | made
    return made


def _names_reason(owner: type, field: types.Field) -> bool:
    return field.name in REASON_FIELDS and hasattr(owner, "__post_init__")


def _value(info: types.Type, depth: int) -> st.SearchStrategy[Any]:
    match info:
        case types.IntType(ge=low, le=high):
            return JSON_NUMBERS if low is None else st.integers(low, high)
        case types.FloatType(ge=low, le=high):
            return st.floats(low, high, allow_nan=False, allow_infinity=False)
        case types.StrType(min_length=shortest):
            return st.text(min_size=shortest or 0, max_size=max(8, shortest or 0))
        case types.LiteralType(values=values):
            return st.sampled_from(values)
        case types.EnumType(cls=kind):
            return st.sampled_from(list(kind))
        case _:
            return SIMPLE[type(info)] if type(info) in SIMPLE else _nested(info, depth)


def _nested(info: types.Type, depth: int) -> st.SearchStrategy[Any]:
    match info:
        case types.VarTupleType(item_type=item, min_length=fewest):
            few = fewest or 0
            return st.lists(_value(item, depth), min_size=few, max_size=max(2, few)).map(tuple)
        case types.DictType(value_type=value):
            return st.dictionaries(st.text(max_size=4), _value(value, depth), max_size=2)
        case types.UnionType(types=options):
            return st.one_of([_value(option, depth) for option in options])
        case types.StructType():
            return _struct(info, depth - 1)
        case _:
            raise TypeError(f"a record may not have a field of type {info}")


def sample(kind: type[Record]) -> dict[str, Any]:
    """The JSON content of a simple instance of `kind`."""
    return _sample_struct(cast("types.StructType", types.type_info(kind)))


def _sample_struct(info: types.StructType) -> dict[str, Any]:
    tag = {} if info.tag_field is None else {info.tag_field: info.tag}
    reason = min(all_reasons())
    return tag | {
        field.encode_name: reason if _names_reason(info.cls, field) else _sample(field.type)
        for field in info.fields
    }


def _sample(info: types.Type) -> Any:
    match info:
        case types.IntType(ge=low):
            return low or 0
        case types.StrType(min_length=shortest):
            return "x" * (shortest or 1)
        case types.LiteralType(values=values):
            return values[0]
        case types.EnumType(cls=kind):
            return next(iter(kind)).value
        case types.UnionType(types=options):
            return _sample(options[0])
        case _:
            return _sample_other(info)


def _sample_other(info: types.Type) -> Any:
    match info:
        case types.StructType():
            return _sample_struct(info)
        case types.VarTupleType(item_type=item, min_length=fewest):
            return [_sample(item)] * (fewest or 0)
        case _:
            return SIMPLE_SAMPLES[type(info)]


def wrong_value(info: types.Type) -> Any:
    """A JSON value that a field of this type must refuse; None where anything goes."""
    options = info.types if isinstance(info, types.UnionType) else (info,)
    kinds = tuple(type(option) for option in options)
    if types.AnyType in kinds:
        return None
    containers = (types.VarTupleType, types.DictType, types.StructType)
    return 17.5 if any(issubclass(kind, containers) for kind in kinds) else {"not": ["this"]}
