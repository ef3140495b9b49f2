"""Hyperlinks in the terminal: only where they are drawn, and to the file that is meant."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from costa_dsl.diagnostics import Diagnostic
from costa_dsl.report.diagnostics import file_uri, render, wants_links
from tests.report.findings import NAMES, finding, recolouring

LINK = re.compile("\x1b]8;;([^\x1b]*)\x1b\\\\(.*?)\x1b]8;;\x1b\\\\")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "environment",
    [
        {"VTE_VERSION": "5000"},
        {"VTE_VERSION": "7600", "TERM": "xterm-256color"},
        {"TERM_PROGRAM": "iTerm.app"},
        {"TERM_PROGRAM": "WezTerm"},
        {"TERM_PROGRAM": "vscode"},
        {"TERM_PROGRAM": "ghostty"},
        {"TERM": "xterm-kitty"},
        {"TERM": "xterm-ghostty"},
        {"KITTY_WINDOW_ID": "1"},
        {"WT_SESSION": "a-guid"},
    ],
)
def test_terminals_that_draw_links(environment: dict[str, str]) -> None:
    assert wants_links(Terminal(), environment)
    for more in ({"NO_COLOR": "1"}, {"CI": "true"}, {"TERM": "dumb"}, {"TERM": "screen-256color"}):
        assert not wants_links(Terminal(), {**environment, **more})
    assert not wants_links(io.StringIO(), environment)


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"TERM": "xterm-256color"},
        {"VTE_VERSION": "4999"},
        {"VTE_VERSION": "0.50"},
        {"VTE_VERSION": "²"},
        {"VTE_VERSION": ""},
        {"TERM_PROGRAM": "Apple_Terminal"},
        {"TERM_PROGRAM": "tmux", "VTE_VERSION": "7600"},
        {"WT_SESSION": ""},
    ],
)
def test_terminals_that_may_not(environment: dict[str, str]) -> None:
    assert not wants_links(Terminal(), environment)


def test_a_person_decides() -> None:
    assert wants_links(io.StringIO(), {"FORCE_HYPERLINK": "1", "NO_COLOR": "1", "CI": "true", "TERM": "dumb"})
    assert not wants_links(Terminal(), {"FORCE_HYPERLINK": "0", "WT_SESSION": "a"})
    assert wants_links(Terminal(), {"FORCE_HYPERLINK": "", "WT_SESSION": "a"})


def test_places_are_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = render([recolouring()], links=True)
    uri = f"file://{tmp_path}/plans/market.yaml"
    assert LINK.findall(text) == [(uri, "plans/market.yaml:3:10"), (uri, "plans/market.yaml:2:1")]
    # Without the links, it is what it was.
    assert LINK.sub(r"\2", text) == render([recolouring()])


def test_links_and_color_together() -> None:
    text = render([recolouring()], color=True, links=True)
    assert LINK.sub(r"\2", text) == render([recolouring()], color=True)
    assert LINK.findall(text)[0][1] == "\x1b[1mplans/market.yaml:3:10\x1b[0m"


def test_no_place_and_standard_input_have_no_link() -> None:
    found = [finding("a: x", "x", "<stdin>"), Diagnostic("COS0001", "m")]
    assert render(found, links=True) == render(found)


def test_a_uri_leads_back_to_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(name for name in NAMES if "/" not in name and not name.startswith("\ud83d")):
        Path(name).write_text(str(number))
        uri = file_uri(name)
        assert re.fullmatch(r"file://(/[A-Za-z0-9_.:~%-]*)+", uri)
        assert Path(os.fsdecode(unquote_to_bytes(uri.removeprefix("file://")))).read_text() == str(number)


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("/tmp/a b#c?.yaml", "file:///tmp/a%20b%23c%3F.yaml"),
        ("/tmp/100%.yaml", "file:///tmp/100%25.yaml"),
        ("/tmp/\x1b]8;;\n.yaml", "file:///tmp/%1B%5D8%3B%3B%0A.yaml"),
        ("/tmp/x/../\udcff.yaml", "file:///tmp/%FF.yaml"),
        ("/tmp/\ud83d.yaml", "file:///tmp/%ED%A0%BD.yaml"),
    ],
)
def test_uris(name: str, uri: str) -> None:
    assert file_uri(name) == uri
