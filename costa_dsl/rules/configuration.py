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

from costa_dsl.catalog.load import PACKAGED
from costa_dsl.diagnostics import Diagnostic, Severity, Sink, SourceSpan, SourceText, closest
from costa_dsl.syntax import read_text_file

FILE = "costa.toml"
OFF = "off"
LEVELS = (OFF, *(str(severity) for severity in Severity))
_KEYS = {"catalog": str, "strict": bool, "rules": dict}
_NOUNS = {str: "a text", bool: "true or false", dict: "a table"}
_EXAMPLES = {"catalog": 'catalog = "tools"', "strict": "strict = true", "rules": 'rules = {COS3202 = "off"}'}

_NAME = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_NAMES = rf"{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*"
_VALUE = r""""(?:[^"\\\n]|\\.)*"|'[^'\n]*'"""
_LINE = (
    rf"^[ \t]*(?:\[{{1,2}}[ \t]*(?P<table>{_NAMES})[ \t]*\]"
    rf"|(?P<key>{_NAMES})[ \t]*=[ \t]*(?P<value>{_VALUE}|[^#\r\n]*))"
)
_INLINE = rf"[{{,][ \t]*(?P<key>{_NAMES})[ \t]*=[ \t]*(?P<value>{_VALUE}|[^#,}}\r\n]*)"
_CODE = re.compile(r"COS\d{4}", re.IGNORECASE)


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
    try:
        folder = (start or Path.cwd()).resolve()
    except OSError:  # the current folder was deleted, or may not be read
        return Configuration()
    # Functions of os.path, here and below: where a folder cannot be entered, those of Path raise.
    for place in (folder, *folder.parents):
        for name in (FILE, "pyproject.toml"):
            if os.path.isfile(place / name) and (found := _read(place / name, sink)) is not None:  # noqa: PTH113
                return found
    return Configuration()


def _read(path: Path, sink: Sink) -> Configuration | None:
    """The configuration in a file; None when it holds none (a pyproject.toml of somebody else)."""
    ours = path.name != "pyproject.toml"
    if not ours and not _may_speak_of_us(path):
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
    except RecursionError:
        sink.add(Diagnostic("COS8301", "this is nested too deeply", SourceSpan(source, 0, 0), help="flatten it"))
        return Configuration()
    table = () if ours else ("tool", "costa")
    for name in table:
        value = value.get(name) if isinstance(value, dict) else None
    if value is None:
        return None
    places = _Places(source, table)
    if not isinstance(value, dict):
        sink.add(
            Diagnostic("COS8303", '"tool.costa" is a table', places.value(()), help="begin it with `[tool.costa]`")
        )
        return Configuration()
    return _configuration(value, places, path, sink)


def _may_speak_of_us(path: Path) -> bool:
    try:
        return "costa" in path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True  # reading it once more tells why


def _configuration(value: Mapping[str, Any], places: _Places, path: Path, sink: Sink) -> Configuration:
    sound: dict[str, Any] = {}
    for key, entry in value.items():
        wanted = _KEYS.get(key)
        if wanted is None:
            sink.add(_unknown(key, entry, places, path))
        elif not isinstance(entry, wanted):
            message, help = f'"{key}" is {_NOUNS[wanted]}', f"such as `{_EXAMPLES[key]}`"
            sink.add(Diagnostic("COS8303", message, places.value((key,)), help=help))
        else:
            sound[key] = entry
    catalog = sound.get("catalog")
    if catalog is not None and catalog not in PACKAGED:
        catalog = _folder(catalog, places, path.parent, sink)
    return Configuration(catalog, sound.get("strict", False), _levels(sound.get("rules", {}), places, sink))


def _unknown(key: str, entry: object, places: _Places, path: Path) -> Diagnostic:
    label, help = "the keys are " + ", ".join(_KEYS), ""
    if key == "tool" and isinstance(entry, dict) and "costa" in entry:
        help = f"in {path.name} leave out `tool.costa`"
    elif _CODE.fullmatch(key):
        help = "the levels of codes stand in the table `rules`"
    elif near := closest(key, _KEYS):
        label = f'did you mean "{near}"?'
    return Diagnostic(
        "COS8302", f'unknown key "{key}" in the configuration', places.key((key,)), label=label, help=help
    )


def _folder(catalog: str, places: _Places, base: Path, sink: Sink) -> str | None:
    """The catalog's folder as seen from the current one; None, with a finding, when there is none."""
    if not os.path.isdir(base / catalog):  # noqa: PTH112
        help = "`catalog` is a folder of manifests, relative to this file, or `default` or `paper`"
        sink.add(Diagnostic("COS8303", f'there is no folder "{catalog}"', places.value(("catalog",)), help=help))
        return None
    try:
        return os.path.relpath(base / catalog)
    except (OSError, ValueError):  # there is no current folder, or it is on another drive
        return str(base / catalog)


def _levels(rules: Mapping[str, Any], places: _Places, sink: Sink) -> dict[str, str]:
    from costa_dsl.diagnostics.pages import Pages, codes

    pages, levels = Pages(), dict[str, str]()
    for code, level in rules.items():
        page = pages.get(code)
        if page is None:
            near = closest(code, codes())
            label = f'did you mean "{near}"?' if near else ""
            sink.add(Diagnostic("COS8302", f'there is no code "{code}"', places.key(("rules", code)), label=label))
        elif page.severity == Severity.ERROR:
            message = f"{code} is an error: its level cannot be changed"
            help = "mend what it finds; only warnings and hints have levels"
            sink.add(Diagnostic("COS8304", message, places.key(("rules", code)), help=help))
        elif level not in LEVELS:
            near = closest(level, LEVELS) if isinstance(level, str) else None
            label = f'did you mean "{near}"?' if near else ""
            message, help = f"the level of {code} is one of {', '.join(LEVELS)}", f'such as `{code} = "off"`'
            sink.add(Diagnostic("COS8303", message, places.value(("rules", code)), label=label, help=help))
        else:
            levels[code] = level
    return levels


class _Places:
    """Where the keys and values of a table stand; TOML's reader keeps no places.

    This looks for lines that begin with a key or a table's name, and for keys in a mapping in braces: what people
    write into a configuration. What it does not find stands where the nearest table around it does.
    """

    def __init__(self, source: SourceText, table: tuple[str, ...]) -> None:
        self._source = source
        self._table = table
        self._keys: dict[tuple[str, ...], tuple[int, int]] = {}
        self._values: dict[tuple[str, ...], tuple[int, int]] = {}
        self._known = False

    def _look(self) -> None:
        """Find all places, when the first is asked for: most configurations have nothing wrong in them."""
        if self._known:
            return
        self._known = True
        inside: tuple[str, ...] = ()
        for match in re.finditer(_LINE, self._source.text, re.MULTILINE):
            if match["table"] is not None:
                inside = self._add((), match, "table")
                continue
            outer = self._add(inside, match, "key")
            if match["value"].startswith("{"):
                for pair in re.compile(_INLINE).finditer(self._source.text, *match.span("value")):
                    self._add(outer, pair, "key")

    def _add(self, outer: tuple[str, ...], match: re.Match[str], group: str) -> tuple[str, ...]:
        """Note the places of a dotted name below a table; its whole route."""
        for name in re.compile(_NAME).finditer(self._source.text, *match.span(group)):
            outer = (*outer, name[0].strip("\"'"))
            self._keys.setdefault(outer, name.span())
        if group == "key":
            start = match.start("value")
            self._values.setdefault(outer, (start, start + len(match["value"].rstrip())))
        return outer

    def key(self, route: tuple[str, ...]) -> SourceSpan:
        """The place of a key below the table."""
        self._look()
        whole = (*self._table, *route)
        known = (self._keys[whole[:length]] for length in range(len(whole), 0, -1) if whole[:length] in self._keys)
        return SourceSpan(self._source, *next(known, (0, 0)))

    def value(self, route: tuple[str, ...]) -> SourceSpan:
        """The place of the value behind a key; that of the key when the value is a table of its own."""
        self._look()
        found = self._values.get((*self._table, *route))
        return SourceSpan(self._source, *found) if found else self.key(route)


def _at(source: SourceText, error: ValueError) -> SourceSpan:
    match = re.search(r"at line (\d+), column (\d+)", str(error))
    last = len(source.text)
    start = min(source.line_start(int(match[1])) + int(match[2]) - 1, last) if match else last
    return SourceSpan(source, start, min(start + 1, last))
