"""`costa.toml`, or `[tool.costa]` in pyproject.toml: the catalog, strictness, and a level for each rule.

catalog = "tools"        # as --catalog, relative to this file
strict = true            # warnings fail, as with --strict

[rules]
COS3202 = "off"          # off, hint, warning or error
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from costa_dsl.diagnostics import Diagnostic, Severity, Sink, SourceSpan, SourceText, closest
from costa_dsl.syntax import read_text_file

FILE = "costa.toml"
OFF = "off"
LEVELS = (OFF, *(str(severity) for severity in Severity))
_KEYS = {"catalog": str, "strict": bool, "rules": dict}


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a project asks of costa; the command line overrides it.

    Attributes:
        catalog: a folder, or `default`; None when the file does not say.
        levels: code → its level, one of LEVELS.
    """

    catalog: str | None = None
    strict: bool = False
    levels: Mapping[str, str] = field(default_factory=dict)

    def apply(self, found: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The findings at the levels that were asked for. Errors stay errors: nothing after them would work."""
        leveled = []
        for diagnostic in found:
            level = self.levels.get(diagnostic.code)
            if level is None or diagnostic.severity is Severity.ERROR:
                leveled.append(diagnostic)
            elif level != OFF:
                leveled.append(replace(diagnostic, severity=Severity(level)))
        return leveled


def read_configuration(
    sink: Sink, start: Path | None = None, environment: Mapping[str, str] = os.environ
) -> Configuration:
    """The configuration of the project around a folder, by default the current one.

    That is the file named by COSTA_CONFIG, else the nearest costa.toml, or pyproject.toml with `[tool.costa]`, in
    the folder or one above it. What is wrong in it goes to the sink, and does not count.
    """
    named = environment.get("COSTA_CONFIG")
    if named:
        return _read(Path(named), sink) or Configuration()
    folder = (start or Path.cwd()).resolve()
    for place in (folder, *folder.parents):
        for name in (FILE, "pyproject.toml"):
            if (place / name).is_file() and (found := _read(place / name, sink)) is not None:
                return found
    return Configuration()


def _read(path: Path, sink: Sink) -> Configuration | None:
    """The configuration in a file; None when it holds none (a pyproject.toml of somebody else)."""
    ours = path.name != "pyproject.toml"
    if not ours and "tool.costa" not in path.read_text(encoding="utf-8", errors="replace"):
        return None
    source = read_text_file(str(path), sink)
    if source is None:
        return Configuration()
    # Imported here: most folders have no configuration.
    import tomllib

    try:
        value: Any = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        sink.add(
            Diagnostic("COS8301", f"this is not TOML: {error}", _at(source, error), help="mend it, or move it away")
        )
        return Configuration()
    if not ours:
        value = value.get("tool", {}).get("costa")
    return None if value is None else _configuration(value, source, path.parent, sink)


def _configuration(value: Any, source: SourceText, folder: Path, sink: Sink) -> Configuration:
    sound: dict[str, Any] = {}
    for key, entry in value.items() if isinstance(value, dict) else ():
        wanted = _KEYS.get(key)
        span = _place(source, key)
        if wanted is None:
            near = closest(key, _KEYS)
            label = f'did you mean "{near}"?' if near else "the keys are " + ", ".join(_KEYS)
            sink.add(Diagnostic("COS8302", f'unknown key "{key}" in the configuration', span, label=label))
        elif not isinstance(entry, wanted):
            noun = {str: "a text", bool: "true or false", dict: "a table"}[wanted]
            sink.add(Diagnostic("COS8303", f'"{key}" is {noun}', span, help='such as `catalog = "tools"`'))
        else:
            sound[key] = entry
    catalog = sound.get("catalog")
    if catalog is not None and catalog != "default":
        catalog = os.path.relpath(folder / catalog)
    return Configuration(catalog, sound.get("strict", False), _levels(sound.get("rules", {}), source, sink))


def _levels(rules: Mapping[str, Any], source: SourceText, sink: Sink) -> dict[str, str]:
    from costa_dsl.diagnostics.pages import codes, page_of

    levels: dict[str, str] = {}
    for code, level in rules.items():
        span = _place(source, code)
        if code not in codes():
            near = closest(code, codes())
            label = f'did you mean "{near}"?' if near else ""
            sink.add(Diagnostic("COS8302", f'there is no code "{code}"', span, label=label))
        elif level not in LEVELS:
            sink.add(Diagnostic("COS8303", f"the level of {code} is one of {', '.join(LEVELS)}", span))
        elif page_of(code).severity == Severity.ERROR:
            message = f"{code} is an error: its level cannot be changed"
            sink.add(
                Diagnostic("COS8304", message, span, help="mend what it finds; only warnings and hints have levels")
            )
        else:
            levels[code] = level
    return levels


def _place(source: SourceText, key: str) -> SourceSpan:
    """Where a key stands. TOML's reader keeps no places; a key of ours stands once in any sensible file."""
    match = re.search(rf'^[ \t]*"?({re.escape(key)})"?[ \t]*=', source.text, re.MULTILINE) or re.search(
        rf"\[(?:tool\.costa\.)?({re.escape(key)})\]", source.text
    )
    return SourceSpan(source, match.start(1), match.end(1)) if match else SourceSpan(source, 0, 0)


def _at(source: SourceText, error: ValueError) -> SourceSpan:
    match = re.search(r"at line (\d+), column (\d+)", str(error))
    last = len(source.text)
    start = min(source.line_start(int(match[1])) + int(match[2]) - 1, last) if match else last
    return SourceSpan(source, start, min(start + 1, last))
