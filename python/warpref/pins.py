# SPDX-License-Identifier: Apache-2.0
"""Pins and registers as attributes of a block: the descriptors of the generated classes.

Each knows its place in the library's table of pins or of compared registers, its width and what it
means. A block has a view into the C structures for each; a value is checked against the width
before it goes there. Inputs make the outputs stale: they are worked out when one is read.
"""

from typing import NamedTuple, overload

from .errors import Error, PlaceError

Value = int | str  # a str: the name of a code of the pin


class Parameter(NamedTuple):
    """A parameter of a block, as in its RTL."""

    name: str
    min: int
    max: int
    doc: str


class Place:
    """A pin or register: class.NAME gives it itself, with .name, .width, .doc and .codes."""

    is_array = False

    def __init__(self, index, width, doc, codes=()):
        self.index, self.width, self.codes = index, width, codes
        self.most = (1 << width) - 1
        self.__doc__ = f"{width} bit{'s' if width > 1 else ''}: {doc}"

    def __set_name__(self, owner, name):
        self.name = name

    @property
    def doc(self):
        return self.__doc__

    def number(self, value):
        """What the value is, or an error that says what would be right."""
        if isinstance(value, str) and value in self.codes:
            return self.codes.index(value)
        try:
            if 0 <= value <= self.most:
                return value.__index__()
        except (TypeError, AttributeError):
            pass
        codes = f", or {', '.join(self.codes)}" if self.codes else ""
        raise Error(f"{self.name} has {self.width} bit{'s' if self.width > 1 else ''}: it takes whole numbers from 0 to "
                    f"{self.most}{codes}, not {value!r}")


class Input(Place):
    @overload
    def __get__(self, block: None, owner) -> "Input": ...
    @overload
    def __get__(self, block: object, owner) -> int: ...
    def __get__(self, block, owner):
        return self if block is None else block._views[self.index][0]

    def __set__(self, block, value: Value) -> None:
        try:
            if 0 <= value <= self.most:
                block._views[self.index][0] = value
                block._stale = True
                return
        except TypeError:
            pass
        block._views[self.index][0] = self.number(value)
        block._stale = True


class InputArray(Place):
    is_array = True

    @overload
    def __get__(self, block: None, owner) -> "InputArray": ...
    @overload
    def __get__(self, block: object, owner) -> "Elements": ...
    def __get__(self, block, owner):
        return self if block is None else Elements(block, self)

    def __set__(self, block, values) -> None:
        elements = Elements(block, self)
        elements[:] = values


class Output(Place):
    @overload
    def __get__(self, block: None, owner) -> "Output": ...
    @overload
    def __get__(self, block: object, owner) -> int: ...
    def __get__(self, block, owner):
        if block is None:
            return self
        if block._stale:
            block.eval()
        return block._views[self.index][0]

    def __set__(self, block, value):
        raise Error(f"{self.name} is an output of {block.name}")


class OutputArray(Output):
    is_array = True

    @overload
    def __get__(self, block: None, owner) -> "OutputArray": ...
    @overload
    def __get__(self, block: object, owner) -> tuple[int, ...]: ...
    def __get__(self, block, owner):
        if block is None:
            return self
        if block._stale:
            block.eval()
        return tuple(block._views[self.index])


class Elements:
    """The elements of an input that is an array, 0 to its count in this configuration."""

    __slots__ = ("_block", "_pin", "_view")

    def __init__(self, block, pin):
        self._block, self._pin, self._view = block, pin, block._views[pin.index]

    def __len__(self):
        return len(self._view)

    def __iter__(self):
        return iter(self._view.tolist())

    def _places(self, index):
        try:
            return range(len(self._view))[index]
        except (IndexError, TypeError, ValueError):
            raise PlaceError(f"{self._pin.name} has elements 0 to {len(self._view) - 1}, not {index!r} ({self._block.text})") from None

    def __getitem__(self, index):
        self._places(index)
        return self._view.tolist()[index]

    def __setitem__(self, index, value):
        places = self._places(index)
        try:
            values = [value] if isinstance(places, int) else list(value)
        except TypeError:
            raise Error(f"{self._pin.name} is an array: it takes a list, not {value!r}") from None
        places = [places] if isinstance(places, int) else places
        if len(values) != len(places):
            raise Error(f"{self._pin.name}: {len(places)} element{'s' if len(places) != 1 else ''} to set, "
                        f"{len(values)} given ({self._block.text})")
        for place, number in zip(places, [self._pin.number(v) for v in values]):
            self._view[place] = number
        self._block._stale = True

    def __eq__(self, other):
        try:
            return self._view.tolist() == list(other)
        except TypeError:
            return NotImplemented

    def __repr__(self):
        return repr(self._view.tolist())


class Register(Place):
    @overload
    def __get__(self, registers: None, owner) -> "Register": ...
    @overload
    def __get__(self, registers: object, owner) -> int: ...
    def __get__(self, registers, owner):
        return self if registers is None else registers._views[self.index][0]

    def __set__(self, registers, value):
        raise Error(f"{self.name} is a register: it is read only, snapshot() and restore() keep and bring back all of them")


class RegisterArray(Register):
    is_array = True

    @overload
    def __get__(self, registers: None, owner) -> "RegisterArray": ...
    @overload
    def __get__(self, registers: object, owner) -> tuple[int, ...]: ...
    def __get__(self, registers, owner):
        return self if registers is None else tuple(registers._views[self.index])


class Registers:
    """The named registers of a block."""

    __slots__ = ("_views",)

    def __init__(self, views):
        self._views = views

    def __repr__(self):
        names = [n for n, place in vars(type(self)).items() if isinstance(place, Register)]
        return ", ".join(f"{n}={getattr(self, n)}" for n in names) or "none"
