"""Checks that read: text recognition on the result says which words stand there and which no longer do."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.checks.measure import piecewise, window_around
from costa_dsl.checks.objects import confidence_score
from costa_dsl.checks.region import drawn, meant_lines
from costa_dsl.model.artifact import TextLine
from costa_dsl.store.values import Mask

# Words of a step that say what stands there afterwards.
_WRITTEN = {
    "text-replacement": "with",
    "text-addition": "text",
    "keyword-highlighting": "text",
    "change-text-style": "text",
}


def text_found(evidence: Evidence, wanted: Any) -> CheckResult:
    """Text detection or extraction gave lines that lie in the picture, with confidence.

    Score: the mean of the lines' scores as `confidence_score` (0.5 -> 0.8, 0.8 -> 1), times the share of
    lines whose center lies in the picture; 0 without lines. Lines of `text` must hold words. With `wanted` a
    text, it must be among what was read: then the score is also at most 1 - 2 · its character error rate.
    """
    name = "text-found"
    lines: Sequence[TextLine] = evidence.outputs.get("text") or evidence.outputs.get("text-regions") or ()
    read = "text" in evidence.outputs
    if read:
        lines = [line for line in lines if line.text.strip()]
    if not lines:
        return CheckResult(name, 0.0, "no text was found", {"lines": 0})
    height, width = evidence.after.shape[:2]
    inside = sum(_center_in(line, width, height) for line in lines) / len(lines)
    mean = sum(line.score for line in lines) / len(lines)
    score = confidence_score(mean) * inside
    sentence = f"{len(lines)} line{'s' if len(lines) != 1 else ''} of text, mean score {mean:.2f}"
    if inside < 1:
        sentence += ", some outside the picture"
    if isinstance(wanted, str):
        error, nearest = nearest_reading(wanted, lines)
        score = min(score, max(0.0, 1 - 2 * error))
        sentence += f'; nearest to "{wanted}" is "{nearest}"'
    return CheckResult(name, score, sentence, {"lines": len(lines), "mean_score": mean})


def text_present(evidence: Evidence, wanted: Any) -> CheckResult | None:
    """The new text can be read in the edited region, letter by letter.

    With c the character error rate of the best reading (edit distance over the length of the wanted text;
    blanks do not count, case does), the score is max(0, 1 - 2 c). Readings are runs of words within a line,
    runs of lines, and any part of a line of which the region is only a part. When the whole picture does not give
    the exact text, the region is cut out, enlarged and read again.

    `wanted` names the text; otherwise it is the step's `with` (replacement) or `text` (addition,
    highlighting). A text to add must be read where it was not read before. Nothing to measure when no tool
    here reads, or the text has letters that readers of Latin take for others.
    """
    stated = isinstance(wanted, str)
    text = wanted if stated else evidence.arguments.get(_WRITTEN.get(evidence.subtask, "text"))
    if not isinstance(text, str) or not text.strip() or not _readable(text):
        return None
    lines = evidence.instruments.read_text(evidence.after)
    if lines is None:
        return None
    region = None if stated else evidence.region
    candidates = _near(lines, region)
    earlier: Sequence[TextLine] = ()
    if evidence.subtask == "text-addition" and not stated:
        earlier = evidence.instruments.read_text(evidence.before) or ()
        candidates = _new_lines(candidates, earlier)
    error, nearest = nearest_reading(text, candidates)
    if region is not None and region.any():
        # A reader may lose the blank between the new words and their old neighbors in the line.
        within = [(_error_within(text, line.text), text) for line in candidates if _sticks_out(line, region)]
        error, nearest = min([(error, nearest), *within])
    if error > 0 and evidence.region is not None and evidence.region.any():
        again = _new_lines(_read_close_up(evidence, evidence.region), earlier)
        closer, read = nearest_reading(text, again)
        if closer < error:
            error, nearest = closer, read
    score = max(0.0, 1 - 2 * error)
    where = "in the picture" if region is None else "in the region"
    found = f'"{nearest}"' if nearest else "no text"
    sentence = f'"{text}" is read {where}' if error == 0 else f'{found} is read {where}, expected "{text}"'
    return CheckResult("text-present", score, sentence, {"character_error_rate": error})


def _readable(text: str) -> bool:
    """Whether every letter is one that the packaged reader knows: Latin, or Chinese and Japanese.

    It gives Greek and Cyrillic letters as the Latin ones that look alike, which says nothing about the text.
    """
    names = [unicodedata.name(char, "") for char in text if char.isalpha()]
    return all(name.startswith(("LATIN", "CJK", "HIRAGANA", "KATAKANA", "FULLWIDTH")) for name in names)


def _sticks_out(line: TextLine, region: Mask) -> bool:
    """Whether a line goes on beyond the region by more than half its height: the region is a part of the line."""
    columns = np.flatnonzero(region.any(axis=0))
    left, top, right, bottom = line.box
    spare = (bottom - top) / 2
    return bool(left < columns[0] - spare or right > columns[-1] + 1 + spare)


def text_absent(evidence: Evidence, wanted: Any) -> CheckResult | None:
    """The old text can no longer be read where it stood.

    Two measurements, the worse one counts:
    - likeness = 1 - character error rate of the best reading of the old text near the region, inside words
      too: score 1 up to 0.4, 0.8 at 0.5, 0 from 0.8 on. For a replacement only likeness beyond what the old
      and the new text share counts.
    - remains = letters and digits read in the region, over those of the old text (not for replacements):
      score 1 for none, 0.8 at 0.1, 0 from 0.6 on.

    `wanted` names a text that must stand nowhere in the picture (likeness only). Nothing to measure when no
    tool here reads, or when it is not known which text stood there.
    """
    stated = isinstance(wanted, str)
    lines = evidence.instruments.read_text(evidence.after)
    if lines is None:
        return None
    old = wanted if stated else _old_text(evidence)
    if not old:
        return None
    region = None if stated else evidence.region
    near = _near(lines, region)
    error, nearest = nearest_reading(old, near)
    if not stated:
        # What is left of the old text may stand inside a longer word.
        inside = [(_error_within(old, line.text), line.text) for line in near]
        error, nearest = min([(error, nearest), *inside])
    likeness = 1 - min(1.0, error)
    replaced = None if stated else evidence.arguments.get("with")
    allowed = 0.4
    if isinstance(replaced, str):
        # The new text may look like the old one: "8:30" became "9:30".
        allowed = max(allowed, _shared(old, replaced) + 0.05)
    score = 1.0 if likeness <= allowed else piecewise(likeness - allowed, (0, 1), (0.1, 0.8), (0.4, 0))
    if likeness == 1 and replaced != old:
        score = 0.0
    measured = {"likeness": likeness}
    sentence = f'"{old}" is no longer read' if score >= 0.8 else f'"{nearest}" is still read; "{old}" should be gone'
    if region is not None and not isinstance(replaced, str):
        letters = sum(_letters(line.text) for line in near if _share_in(line, region) >= 0.5)
        remains = letters / max(1, _letters(old))
        measured["remains"] = remains
        rest = piecewise(remains, (0, 1), (0.1, 0.8), (0.6, 0))
        if rest < score:
            score, sentence = rest, f"{letters} letters are still read in the region"
    return CheckResult("text-absent", score, sentence, measured)


def nearest_reading(wanted: str, lines: Sequence[TextLine]) -> tuple[float, str]:
    """The least character error rate of `wanted` among what was read, and that reading.

    The rate is the edit distance over the length of `wanted`, both without blanks, in Unicode NFKC; at most 1
    when nothing was read.
    """
    goal = _bare(wanted)
    best = (1.0, "")
    for reading in _readings(wanted, lines):
        error = edit_distance(goal, _bare(reading)) / max(1, len(goal))
        if error < best[0] or (error == best[0] and not best[1]):
            best = (error, reading)
    return best


def edit_distance(one: str, other: str) -> int:
    """Levenshtein: the fewest characters to insert, delete or change to make one text of the other."""
    row = list(range(len(other) + 1))
    for place, char in enumerate(one, start=1):
        diagonal, row[0] = row[0], place
        for column, against in enumerate(other, start=1):
            diagonal, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, diagonal + (char != against)),
            )
    return row[-1]


def _readings(wanted: str, lines: Sequence[TextLine]) -> Iterator[str]:
    """Runs of whole words of about the wanted length in each line; whole lines, one and several joined."""
    count = len(wanted.split())
    ordered = sorted(lines, key=lambda line: ((line.box[1] + line.box[3]) / 2, line.box[0]))
    for line in ordered:
        words = line.text.split()
        for length in range(max(1, count - 1), min(count + 1, len(words)) + 1):
            for start in range(len(words) - length + 1):
                yield " ".join(words[start : start + length])
    for length in range(1, 5):
        for start in range(len(ordered) - length + 1):
            yield " ".join(line.text for line in ordered[start : start + length])


def _old_text(evidence: Evidence) -> str:
    words = evidence.arguments.get("text")
    if isinstance(words, str):
        return words
    return " ".join(line.text for line in meant_lines(evidence.artifacts, evidence.arguments)).strip()


def _shared(old: str, new: str) -> float:
    """How much of the old text can be read in the new one, 0 … 1."""
    return max(0.0, 1 - _error_within(old, new))


def _error_within(wanted: str, text: str) -> float:
    """The least character error rate of `wanted` among all stretches of `text`, blanks set aside."""
    goal, letters = _bare(wanted), _bare(text)
    # As `edit_distance`, but the stretch may begin and end anywhere at no cost (Sellers 1980).
    row = [0] * (len(letters) + 1)
    for place, char in enumerate(goal, start=1):
        diagonal, row[0] = row[0], place
        for column, against in enumerate(letters, start=1):
            cost = min(row[column] + 1, row[column - 1] + 1, diagonal + (char != against))
            diagonal, row[column] = row[column], cost
    return min(row) / max(1, len(goal))


def _bare(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def _letters(text: str) -> int:
    return sum(char.isalnum() for char in text)


def _center_in(line: TextLine, width: int, height: int) -> bool:
    x0, y0, x1, y1 = line.box
    return 0 <= (x0 + x1) / 2 <= width and 0 <= (y0 + y1) / 2 <= height


def _near(lines: Sequence[TextLine], region: Mask | None) -> list[TextLine]:
    """The lines that share pixels with the region (a tenth of the line is enough); all without a region."""
    return [line for line in lines if region is None or _share_in(line, region) >= 0.1]


def _share_in(line: TextLine, region: Mask) -> float:
    x0, y0, x1, y1 = line.box
    rows = slice(max(0, int(y0)), max(0, int(np.ceil(y1)) + 1))
    columns = slice(max(0, int(x0)), max(0, int(np.ceil(x1)) + 1))
    part = region[rows, columns]
    if part.size == 0:
        return 0.0
    shifted = tuple((x - columns.start, y - rows.start) for x, y in line.corners)
    inked = drawn([TextLine(shifted, line.text, line.score)], part.shape)  # type: ignore[arg-type]
    return float((inked & part).sum() / max(1, inked.sum()))


def _new_lines(lines: Sequence[TextLine], earlier: Sequence[TextLine]) -> list[TextLine]:
    return [line for line in lines if not any(_same_place(line, old) for old in earlier)]


def _same_place(line: TextLine, old: TextLine) -> bool:
    if _bare(line.text) != _bare(old.text):
        return False
    width = min(line.box[2], old.box[2]) - max(line.box[0], old.box[0])
    height = min(line.box[3], old.box[3]) - max(line.box[1], old.box[1])
    area = (line.box[2] - line.box[0]) * (line.box[3] - line.box[1])
    return width > 0 and height > 0 and width * height > 0.5 * area


def _read_close_up(evidence: Evidence, region: Mask) -> list[TextLine]:
    """The lines in the region, read with its surroundings, enlarged until it is at least 96 pixels high.

    They lie where they lie in the whole picture. At most fourfold: more shows no more.
    """
    import cv2

    rows = np.flatnonzero(region.any(axis=1))
    high = int(rows[-1] - rows[0]) + 1
    window = window_around(region, max(12, high // 2))
    cut = np.ascontiguousarray(window.of(evidence.after)[..., :3])
    scale = min(4, int(np.ceil(96 / high)))
    if scale > 1:
        cut = np.asarray(cv2.resize(cut, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC))
    lines = evidence.instruments.read_text(cut) or ()
    x, y = window.columns.start, window.rows.start
    back = [
        TextLine(tuple((a / scale + x, b / scale + y) for a, b in line.corners), line.text, line.score)  # type: ignore[arg-type]
        for line in lines
    ]
    return _near(back, region)
