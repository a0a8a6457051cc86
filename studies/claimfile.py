# SPDX-License-Identifier: Apache-2.0
"""The claims of the papers: studies/<paper>/claims.toml, read and held to their form.

A claim is a number that a paper states, or the sign of one, and the band in which ours counts as met, written down
before a study of it ran. It holds no value of ours: that is a finding of a study (`claim = "ID"` in it).
"""
import dataclasses
import functools
import tomllib

from commands import ROOT
from trouble import Trouble

STEM = "claims"
KINDS = {"E": "exact or arithmetic", "D": "derived from a distribution over benchmarks", "T": "a tendency or sign"}
NEEDED, OTHERS = ("id", "text", "source", "kind", "band", "row"), ("number", "unit", "reason", "outside", "also")


@dataclasses.dataclass(frozen=True)
class Claim:
    id: str
    text: str
    source: str          # paper and section, figure or table
    kind: str            # KINDS
    band: tuple          # least and most of ours that count as met
    row: str             # of the list of claims that the project is held against
    number: float | None = None  # the paper's; None where the claim is a sign alone
    unit: str = ""
    reason: str = ""     # of the band
    outside: str = ""    # why the paper's own number is not in the band
    also: str = ""       # another row that it answers

    @property
    def paper(self):
        return self.id.split(".")[0]


def claim_of(where, entry):
    for key in entry:
        if key not in NEEDED + OTHERS:
            raise Trouble(f"{where}: there is no key '{key}'; there are {', '.join(NEEDED + OTHERS)}")
    for key in NEEDED:
        if key not in entry:
            raise Trouble(f"{where}: lacks '{key}'")
    band = entry["band"]
    if not isinstance(band, list) or len(band) != 2 or not all(type(b) in (int, float) for b in band) \
            or not band[0] <= band[1]:
        raise Trouble(f"{where}: band wants [least, most]")
    if entry["kind"] not in KINDS:
        raise Trouble(f"{where}: kind is {', '.join(KINDS)}")
    if entry["kind"] != "E" and not entry.get("reason"):
        raise Trouble(f"{where}: lacks the reason of its band")
    return Claim(**{**entry, "band": tuple(band)})


@functools.cache
def by_id():
    """id -> Claim, in the order of the files."""
    out = {}
    for path in sorted((ROOT / "studies").glob(f"*/{STEM}.toml")):
        shown = path.relative_to(ROOT)
        try:
            table = tomllib.loads(path.read_text())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise Trouble(f"{shown}: {error}") from None
        for number, entry in enumerate(table.get("claim", []), 1):
            claim = claim_of(f"{shown}: [[claim]] {number} ({entry.get('id', 'no id')})", entry)
            if claim.id in out or claim.paper != path.parent.name:
                raise Trouble(f"{shown}: '{claim.id}' is there twice, or does not begin with {path.parent.name}.")
            out[claim.id] = claim
    return out
