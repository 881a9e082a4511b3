"""The switches of a system that change what is compiled: their names and legal values, the default first.

A target's options are given to its adapter as --NAME=VALUE. The greeting lists them, so that a campaign can draw
configurations. Standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches


class UsageError(Exception):
    """An option that the adapter does not have, in one line that names its neighbours."""


@dataclass(frozen=True)
class Switch:
    """Results have to be right, and within the same profile, under every one of its values."""

    name: str
    values: tuple[str, ...]  # the default first


Settings = dict[str, str]  # a value for each switch


def declared(switches: Sequence[Switch]) -> dict[str, list[str]]:
    """As a greeting has them."""
    return {switch.name: list(switch.values) for switch in switches}


def parse(arguments: Sequence[str], switches: Sequence[Switch]) -> Settings:
    """The settings that these arguments ask for; what they leave out is at its default."""
    known = {switch.name: switch for switch in switches}
    settings = {switch.name: switch.values[0] for switch in switches}
    for argument in arguments:
        name, equals, value = argument.removeprefix("--").partition("=")
        if not argument.startswith("--") or name not in known:
            raise UsageError(f"there is no option {name}: {_neighbours(name, list(known))}")
        values = known[name].values
        if not equals or value not in values:
            raise UsageError(f"option {name} has no value {value!r}: {_neighbours(value, values)}")
        settings[name] = value
    return settings


def _neighbours(given: str, known: Sequence[str]) -> str:
    listed = f"there are {', '.join(known)}" if known else "there are none"
    near = get_close_matches(given, known, 1)
    return f"is it {near[0]}? {listed}" if near else listed
