"""`costa fmt`: what it writes, prints and returns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from costa_dsl.cli import main
from costa_dsl.resources import data_folder

MESSY = """\
kind:   Plan   # what it is
apiVersion: costa/v1
task: 'Find the dog'
tree:
- {object: dog,do: object-detection}
"""
NEAT = """\
apiVersion: costa/v1
kind: Plan  # what it is
task: Find the dog
tree:
  - {do: object-detection, object: dog}
"""
BROKEN = "kind: Plan\ntask: {\n"


def call(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main.costa, ["fmt", *map(str, arguments)], input=stdin)


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    path = tmp_path / "messy.yaml"
    path.write_text(MESSY)
    return path


def test_it_rewrites_what_is_not_in_form(messy: Path, tmp_path: Path) -> None:
    neat = tmp_path / "neat.yml"
    neat.write_text(NEAT)
    before = neat.stat()
    done = call(tmp_path)
    assert done.exit_code == 0
    assert done.stdout == f"formatted: {messy}\n2 files, 1 formatted, 1 in form already\n"
    assert messy.read_text() == NEAT
    assert neat.stat().st_mtime_ns == before.st_mtime_ns
    assert sorted(path.name for path in tmp_path.iterdir()) == ["messy.yaml", "neat.yml"]
    assert call(tmp_path).stdout == "2 files, 2 in form already\n"


def test_check_writes_nothing(messy: Path) -> None:
    done = call("--check", messy)
    assert (done.exit_code, messy.read_text()) == (1, MESSY)
    assert done.stdout == f"would be formatted: {messy}\n1 file, 1 would be formatted\n"
    messy.write_text(NEAT)
    assert call("--check", messy).exit_code == 0


def test_diff_writes_nothing_and_patches(messy: Path) -> None:
    done = call("--diff", messy)
    assert (done.exit_code, messy.read_text()) == (0, MESSY)
    assert done.stderr == "1 file, 1 would be formatted\n"
    assert done.stdout.startswith(f"--- {messy}\n+++ {messy}\n@@ ")
    assert call("--diff", "--check", messy).exit_code == 1
    subprocess.run(["git", "apply", "-p0", "--unsafe-paths", "-"], cwd="/", input=done.stdout, text=True, check=True)
    assert messy.read_text() == NEAT


def test_a_diff_of_a_text_without_a_last_line_break(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a:  1\nb: 2")
    assert call("--diff", path).stdout.endswith(
        "@@ -1,2 +1,2 @@\n-a:  1\n-b: 2\n\\ No newline at end of file\n+a: 1\n+b: 2\n"
    )


def test_a_file_with_errors_is_left_alone(messy: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text(BROKEN)
    done = call(tmp_path)
    assert done.exit_code == 1
    assert broken.read_text() == BROKEN
    assert messy.read_text() == NEAT
    assert f"{broken}:2:" in done.stderr
    assert "error[COS0013]" in done.stderr
    assert done.stdout == f"formatted: {messy}\n2 files, 1 formatted, 1 not touched because of errors\n"


def test_standard_input() -> None:
    done = call("-", stdin=MESSY)
    assert (done.exit_code, done.stdout, done.stderr) == (0, NEAT, "")
    done = call("-", stdin=BROKEN)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "<stdin>:2:" in done.stderr
    done = call("-", "--stdin-filename", "plans/a.yaml", stdin=BROKEN)
    assert "plans/a.yaml:2:" in done.stderr
    done = call("-", "--check", stdin=MESSY)
    assert (done.exit_code, done.stdout) == (1, "would be formatted: <stdin>\n1 file, 1 would be formatted\n")
    assert call("-", "--diff", stdin=MESSY).stdout.startswith("--- <stdin>\n+++ <stdin>\n")


def test_bytes_go_through_a_pipe_unchanged() -> None:
    text = "task: 'Erkläre 日本 🐕'\n"
    done = subprocess.run(
        [sys.executable, "-m", "costa_dsl", "fmt", "-"],
        input=text.encode(), capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.stdout == text.replace("'", "").encode()


def test_usage(messy: Path) -> None:
    assert call("-", messy).exit_code == 2
    assert call("--stdin-filename", "a.yaml", messy).exit_code == 2
    assert call().exit_code == 2
    assert messy.read_text() == MESSY


def test_nothing_there(tmp_path: Path) -> None:
    assert main.run(["fmt", str(tmp_path)]) == 3
    done = call(tmp_path / "no.yaml")
    assert done.exit_code == 1
    assert "COS0001" in done.stderr


def test_json(messy: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text(BROKEN)
    done = call("--format", "json", "--diff", tmp_path)
    document = json.loads(done.stdout)
    assert done.exit_code == 1
    assert document["version"] == 1
    assert [entry["status"] for entry in document["files"]] == ["failed", "changed"]
    assert document["files"][1]["diff"].startswith(f"--- {messy}")
    assert [found["code"] for found in document["diagnostics"]] == ["COS0013"]
    assert json.loads(call("--format", "json", "-", stdin=MESSY).stdout)["files"] == [
        {"path": "<stdin>", "status": "changed", "text": NEAT}
    ]


def test_permissions_and_links_stay(messy: Path, tmp_path: Path) -> None:
    messy.chmod(0o640)
    link = tmp_path / "link.yaml"
    link.symlink_to("messy.yaml")
    assert call(link).exit_code == 0
    assert link.is_symlink()
    assert messy.read_text() == NEAT
    assert messy.stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_written_stays(messy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = messy.with_name("other.yaml")
    other.write_text(MESSY)

    # A disk that is full when the new file takes its name.
    def refuse(self: Path, target: Path) -> Path:
        if Path(target).name == "messy.yaml":
            raise OSError(28, "No space left on device")
        os.rename(self, target)  # noqa: PTH104
        return Path(target)

    monkeypatch.setattr(Path, "replace", refuse)
    done = call(messy, other)
    assert done.exit_code == 1
    assert f'error[COS0034]: "{messy}" cannot be written: No space left on device' in done.stderr
    assert (messy.read_text(), other.read_text()) == (MESSY, NEAT)
    assert sorted(path.name for path in messy.parent.iterdir()) == ["messy.yaml", "other.yaml"]


def test_a_pipe_is_no_file_to_rewrite(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    with subprocess.Popen([sys.executable, "-c", f"open({str(pipe)!r}, 'w').write('a:  1')"]) as writer:
        done = call(pipe)
        writer.wait()
    assert done.exit_code == 1
    assert f'error[COS0034]: "{pipe}" cannot be written: it is no regular file' in done.stderr
    assert pipe.is_fifo()


def test_encodings_become_utf_8(messy: Path) -> None:
    for data in (b"\xef\xbb\xbf" + NEAT.encode(), NEAT.encode("utf-16"), NEAT.replace("\n", "\r\n").encode()):
        messy.write_bytes(data)
        assert call("--check", messy).exit_code == 1
        assert call(messy).exit_code == 0
        assert messy.read_bytes() == NEAT.encode()


def test_the_packaged_files_can_be_formatted(tmp_path: Path) -> None:
    for folder in ("tools", "plans"):
        for path in Path(data_folder(folder)).glob("*.yaml"):
            (tmp_path / path.name).write_bytes(path.read_bytes())
    assert call(tmp_path).exit_code == 0
    assert call("--check", tmp_path).exit_code == 0


def test_it_starts_without_heavy_libraries(messy: Path) -> None:
    program = (
        "import sys; from costa_dsl.cli.fmt import fmt_command\n"
        f"fmt_command([{str(messy)!r}], standalone_mode=False)\n"
        "print(sorted({'jsonschema', 'numpy', 'cv2', 'PIL', 'networkx', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[]\n")
