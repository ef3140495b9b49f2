"""`costa tools graph`: the dependency graph that CoSTA* draws, derived from manifests."""

from __future__ import annotations

import json
from pathlib import Path

import networkx
import pytest

from costa_dsl.cli.main import run
from tests.conftest import make_tool

Capture = pytest.CaptureFixture[str]


def test_the_papers_table_has_its_edges(capsys: Capture) -> None:
    assert run(["tools", "graph", "--catalog", "paper", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    graph = networkx.DiGraph([tuple(edge) for edge in document["edges"]])
    assert graph.number_of_edges() == 32
    assert networkx.is_directed_acyclic_graph(graph)
    assert document["artifacts"]["mask"] == {"given by": ["sam"], "needed by": ["dall-e", "sd-erase", "sd-inpaint"]}


def test_alternatives_and_a_drawing(capsys: Capture) -> None:
    assert run(["tools", "graph", "--catalog", "paper"]) == 0
    out = capsys.readouterr().out
    assert "boxes: grounding-dino | yolov7 → sam\n" in out
    # Each alternative has the place where it says what it gives, and only alternatives have.
    places = dict(line.split() for line in out.splitlines() if line.startswith("  "))
    assert {"grounding-dino", "yolov7"} <= places.keys()
    assert "sam" not in places
    file, line, column = places["yolov7"].rsplit(":", 2)
    assert Path(file).read_text().splitlines()[int(line) - 1][int(column) - 1 :].startswith("[boxes]")
    assert out.endswith("28 tools, 32 edges; `|` parts alternatives\n")
    assert run(["tools", "graph", "--catalog", "paper", "--format", "dot"]) == 0
    assert '  "sam" -> "dall-e";\n' in capsys.readouterr().out


def test_circles_and_what_leads_nowhere_are_told_at_their_places(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "tools.yaml").write_text(
        make_tool("boxer", "object-detection", "image, mask", "boxes")
        + make_tool("masker", "object-segmentation", "image, boxes", "mask")
        + make_tool("teller", "image-captioning", "image", "caption, label")
    )
    assert run(["tools", "graph", "--catalog", str(tmp_path)]) == 0
    err = capsys.readouterr().err
    assert f'{tmp_path}/tools.yaml:8:16: error[COS2016]: "boxer" can never run' in err
    assert '"masker" can never run: nothing leads from the picture to "boxes"' in err
    assert 'warning[COS2015]: "teller" gives "label"' in err
