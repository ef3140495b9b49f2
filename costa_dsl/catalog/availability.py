"""Which tools can run on this machine, and what would bring those that cannot."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from costa_dsl.diagnostics import CostaError, Diagnostic
from costa_dsl.model.tool import Tool

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

TOOL_GROUP = "costa.tools"


@dataclass(frozen=True, slots=True)
class Missing:
    """One thing that a tool lacks here, and the command that brings it."""

    what: str
    command: str


@cache
def _implementations() -> dict[str, EntryPoint]:
    # Imported here: a plan that is only validated asks for no package.
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=TOOL_GROUP):
        if entry.name in found and found[entry.name].value != entry.value:
            raise CostaError(
                Diagnostic(
                    "COS9001",
                    f'two installed packages bring a tool implementation named "{entry.name}": '
                    f"{found[entry.name].value} and {entry.value}",
                    help="uninstall one of the two packages",
                )
            )
        found[entry.name] = entry
    return found


def implementation(name: str) -> EntryPoint | None:
    """The installed entry point of this name in the group `costa.tools`, not yet loaded."""
    return _implementations().get(name)


@cache
def _installed(package: str) -> bool:
    from importlib.metadata import PackageNotFoundError, version

    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def missing(tool: Tool) -> list[Missing]:
    """What keeps a tool from running here; empty when it can."""
    found = []
    if implementation(tool.implementation) is None:
        found.append(
            Missing(
                f'no installed package brings the implementation "{tool.implementation}"',
                "pip install the package that defines it as an entry point in costa.tools",
            )
        )
    extra = tool.requires.extra
    for package in tool.requires.packages:
        if not _installed(package):
            command = f"pip install 'costa-dsl[{extra}]'" if extra else f"pip install {package}"
            found.append(Missing(f"package {package} is not installed", command))
    found.extend(
        Missing(f"environment variable {name} is not set", f"export {name}=…")
        for name in tool.requires.env
        if not os.environ.get(name)
    )
    return found
