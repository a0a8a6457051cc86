# SPDX-License-Identifier: Apache-2.0
"""A block's model behind its pins.

The state and the pins are C structures that this object owns; the library's table of the block
says where in them a pin is. So nothing here knows a block, and a generated class (gen/blocks.py)
adds names, widths and texts alone. Both tables are compared when the first model of a block is
opened: a library of other descriptions is refused.

Invariant: outputs that are read are those of the state and the inputs as they are then.
"""

import difflib
import zlib

from .errors import Error, LibraryError, PinError
from .gen.library import VERSION
from .library import find, library
from .pins import Place

FORMAT = {1: "B", 2: "H", 4: "I", 8: "Q"}


def whole(what, value, least, most):
    """A whole number of this range, or an error that says so."""
    if not hasattr(value, "__index__") or not least <= value.__index__() <= most:
        raise Error(f"{what} is a whole number from {least} to {most}, not {value!r}")
    return value.__index__()


def unknown(what, name, names):
    """'there is no WHAT NAME', with the nearest name and all names there are."""
    near = difflib.get_close_matches(str(name), names, 1)
    return f"there is no {what} '{name}'" + (f" (is it {near[0]}?)" if near else "") + f"; there are {', '.join(names)}"


def open_block(classes, name, config, parameters):
    if not isinstance(name, str) or name not in classes:
        raise Error(unknown("block", name, list(classes)))
    return classes[name](config, **parameters)


class Block:
    """The model of a block. Pins are attributes: b.load_i = 1, b.tbs_o."""

    __slots__ = ("values", "_ffi", "_desc", "_calls", "_memory", "_buffers", "_views", "_stale", "_pointers", "state")

    name = group = ""
    free_running = False
    parameters: tuple = ()
    configs: dict = {}

    def __init__(self, config="default", **parameters):
        self._ffi, lib = library()
        self._desc = described(type(self), self._ffi, lib)
        self.values = self._parameters(config, parameters)
        new = self._ffi.new
        cfg = new("uint32_t[]", list(self.values.values()))
        sizes = (self._desc.state_size, self._desc.in_size, self._desc.out_size)
        self._memory = tuple(new("uint64_t[]", (size + 7) // 8) for size in sizes)
        if self._desc.init(self._memory[0], cfg) != lib.WR_OK:
            text = new("char[]", 1024)
            lib.wr_block_refusal(self._desc, cfg, text, 1024)
            raise Error(f"{self._ffi.string(text).decode()}: each is in its range, but not with the others; "
                        f"docs/blocks/{self.name}.md says what goes together")
        self._pointers = tuple(self._ffi.cast("void *", m) for m in self._memory)
        self._calls = (self._desc.eval, self._desc.tick)
        self._buffers = tuple(memoryview(self._ffi.buffer(m, size)).cast("B") for m, size in zip(self._memory, sizes))
        pins = [self._desc.pins + i for i in range(self._desc.pins_count)]
        self._views = tuple(self._view(1 + p.dir, p.offset, p.elem_bytes, lib.wr_pin_count(p, cfg)) for p in pins)
        states = [self._desc.states[i] for i in range(self._desc.states_count)]
        self.state = self.State([self._view(0, s.offset, s.elem_bytes, s.count) for s in states])
        self.reset()

    def _view(self, memory, offset, size, count):
        return self._buffers[memory][offset:offset + size * count].cast(FORMAT[size])

    def _parameters(self, config, given):
        if not isinstance(config, str) or config not in self.configs:
            raise Error(f"{self.name}: " + unknown("configuration", config, list(self.configs)))
        values = dict(self.configs[config])
        by_name = {p.name: p for p in self.parameters}
        for name, value in given.items():
            if name not in by_name:
                raise Error(f"{self.name}: " + unknown("parameter", name, [f"{p.name} ({p.min} to {p.max})" for p in self.parameters]))
            p = by_name[name]
            values[name] = whole(f"{self.name}: {name} ({p.doc})", value, p.min, p.max)
        return values

    @property
    def text(self):
        return f"{self.name}, " + ", ".join(f"{k}={v}" for k, v in self.values.items())

    def __repr__(self):
        return f"<{self.text}>"

    def __getattr__(self, name):
        pins = [n for n, place in vars(type(self)).items() if isinstance(place, Place)]
        raise PinError(f"{self.name}: " + unknown("pin", name, pins))

    @property
    def out(self):
        """All outputs as they are now."""
        if self._stale:
            self.eval()
        ins, pins = self._desc.ins_count, self._desc.pins
        return self.Out(*[tuple(v) if pins[ins + i].is_array else v[0] for i, v in enumerate(self._views[ins:])])

    def reset(self):
        """The state as behind reset. Inputs stay as they are."""
        self._desc.reset(self._pointers[0])
        self._stale = True

    def eval(self):
        """Works the outputs out now; reading one does so too."""
        self._calls[0](*self._pointers)
        self._stale = False

    def tick(self):
        """The clock edge: the state goes on by one cycle with the inputs as they are."""
        self._calls[1](self._pointers[0], self._pointers[1])
        self._stale = True

    def step(self, **pins):
        """One cycle with these inputs, all others 0: gives the outputs in front of the clock edge."""
        self.idle()
        self.drive(**pins)
        out = self.out
        self.tick()
        return out

    def drive(self, **pins):
        """Sets these inputs; the others stay."""
        for name, value in pins.items():
            if not isinstance(getattr(type(self), name, None), Place):
                getattr(self, name)  # says which pins there are
            setattr(self, name, value)
        self._stale = True

    def idle(self):
        """Sets all inputs to 0."""
        self._buffers[1][:] = bytes(self._desc.in_size)
        self._stale = True

    def skip(self, cycles):
        """The same as so many ticks with the inputs as they are, sooner. Of free-running blocks alone."""
        if self._desc.skip == self._ffi.NULL:
            raise Error(f"{self.name} is not free-running: it has no skip; use tick()")
        self._desc.skip(self._pointers[0], self._pointers[1], whole("cycles", cycles, 0, (1 << 64) - 1))
        self._stale = True

    def quiet(self):
        """Ticks with the inputs as they are that leave every output as it is; None: never an end. Of
        free-running blocks alone."""
        if self._desc.quiet == self._ffi.NULL:
            raise Error(f"{self.name} is not free-running: it has no quiet; its outputs follow its inputs")
        cycles = self._desc.quiet(self._pointers[0], self._pointers[1])
        return None if cycles == (1 << 64) - 1 else cycles

    def snapshot(self):
        """State and inputs, to be brought back by restore(): bytes, which compare equal where these do.

        A line of text says of which block, parameters and version they are and has a sum over the rest.
        """
        kept = bytes(self._buffers[0]) + bytes(self._buffers[1])
        return f"warpref {VERSION} snapshot of {self.text}: {zlib.crc32(kept):08x}\n".encode() + kept

    def restore(self, snapshot):
        """The block as it was; also another one of the same parameters."""
        if not isinstance(snapshot, (bytes, bytearray, memoryview)):
            raise Error(f"a snapshot is the bytes that snapshot() gives, not {type(snapshot).__name__}")
        head, _, kept = bytes(snapshot).partition(b"\n")
        of, _, check = head.decode(errors="replace").rpartition(": ")
        here = f"warpref {VERSION} snapshot of {self.text}"
        if not of.startswith("warpref "):
            raise Error("these bytes are no snapshot: one begins with a line that says of which block it is")
        if of != here:
            raise Error(f"a {of} does not fit: this is {here.replace(' snapshot of', ',')}")
        size = self._desc.state_size
        if len(kept) != size + self._desc.in_size or check != f"{zlib.crc32(kept):08x}":
            raise Error(f"this {of} is not whole: its bytes are cut or changed")
        self._buffers[0][:], self._buffers[1][:] = kept[:size], kept[size:]
        self._stale = True


def tables(desc, ffi):
    """What the library knows of a block, as places_of gives it of a class."""
    def name(thing):
        return ffi.string(thing).decode()
    pins = [(name(p.name) + "_" + "io"[p.dir], p.width, bool(p.is_array)) for p in desc.pins[0:desc.pins_count]]
    params = [(name(p.name), p.min, p.max) for p in desc.params[0:desc.params_count]]
    states = [(name(s.name), s.width, bool(s.is_array)) for s in desc.states[0:desc.states_count]] if desc.states_count else []
    return pins, params, states


def places_of(owner):
    return [(n, p.width, p.is_array) for n, p in vars(owner).items() if isinstance(p, Place)]


def described(owner, ffi, lib, seen={}):
    """The library's table of a block, once compared with the class of this module."""
    desc = seen.get(owner.name)
    if desc is None:
        desc = lib.wr_block_find(owner.name.encode())
        here = (places_of(owner), [(p.name, p.min, p.max) for p in owner.parameters], places_of(owner.State))
        if desc == ffi.NULL or tables(desc, ffi) != here:
            raise LibraryError(f"{find()}: knows block {owner.name} "
                               f"{'not at all' if desc == ffi.NULL else 'with other pins, parameters or registers'}: "
                               "it was built from other descriptions than this module; build it anew")
        seen[owner.name] = desc
    return desc
