"""Referring expressions over a closed vocabulary: "the left dog" is the label `dog` and the pick `left`.

A detector knows a fixed list of labels. An expression that says more than a label and a pick ("the brown
dog") is not understood rather than understood in part: editing the wrong dog is worse than asking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from costa_dsl.model.artifact import Box

Pick: TypeAlias = Literal["left", "right", "top", "bottom", "middle", "largest", "smallest"]

PICKS: tuple[Pick, ...] = get_args(Pick)

# What people write for each pick, in front of the noun ("leftmost dog") …
_PICK_WORDS: dict[str, Pick] = {
    **dict.fromkeys(("left", "leftmost", "left-most", "left-hand"), "left"),
    **dict.fromkeys(("right", "rightmost", "right-most", "right-hand"), "right"),
    **dict.fromkeys(("top", "topmost", "top-most", "upper", "uppermost", "highest"), "top"),
    **dict.fromkeys(("bottom", "bottommost", "bottom-most", "lower", "lowermost", "lowest"), "bottom"),
    **dict.fromkeys(("middle", "center", "centre", "central", "middlemost", "centermost"), "middle"),
    **dict.fromkeys(("largest", "biggest", "greatest"), "largest"),
    **dict.fromkeys(("smallest", "littlest", "tiniest"), "smallest"),
}
# … and behind it: "the dog on the left", "the car at the far right of the picture".
_BEHIND = re.compile(
    r"^(?P<noun>.+?)\s+(?:(?:which|that|who)\s+(?:is|are)\s+)?(?:on|at|in|to|towards?)\s+the\s+(?:far\s+|very\s+)?"
    r"(?P<pick>left|right|top|bottom|middle|center|centre)(?:[\s-]+(?:hand\s+)?side)?"
    r"(?:\s+of\s+the\s+(?:picture|image|photo|photograph|scene|frame))?$"
)
_ALL = re.compile(r"^(?:all(?:\s+of)?|every(?:\s+single)?|each|any)\s+")
_ARTICLE = re.compile(r"^(?:the|a|an|this|that|these|those)\s+")
_FAR = re.compile(r"^(?:far|very)\s+(?=left|right|top|bottom)")

_IRREGULAR: dict[str, str] = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "mice": "mouse",
    "geese": "goose", "feet": "foot", "teeth": "tooth", "knives": "knife", "leaves": "leaf",
    "shelves": "shelf", "wolves": "wolf", "loaves": "loaf", "calves": "calf", "scarves": "scarf",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reference:
    """A label of the vocabulary, and which of its instances: None means every one."""

    label: str
    pick: Pick | None = None


def parse_reference(expression: str, objects: Mapping[str, Sequence[str]]) -> Reference | None:
    """Understand a referring expression against a closed vocabulary.

    Articles and words for "all" say nothing that the default (every instance) does not. Plurals and the
    vocabulary's synonyms lead to their label; a pick may stand before or behind the noun.

    Args:
        expression: what a plan says under `object:`, such as `the left dog`, `all people`.
        objects: label to its synonyms, as a detector's manifest lists them.

    Returns:
        The reference, or None when the expression holds any word that this vocabulary cannot honor.
    """
    words = re.sub(r"[\s_]+", " ", expression.casefold()).strip(" .!?,")
    names = _names(objects)
    every = _ALL.match(words) is not None
    words = _strip_articles(_ALL.sub("", words))
    if label := _label_of(words, names):  # before the picks: a vocabulary may know "top hat"
        return Reference(label)
    if every:  # "all left dogs" has no one meaning
        return None
    pick: Pick | None = None
    if behind := _BEHIND.match(words):
        words, pick = behind["noun"], _PICK_WORDS[behind["pick"]]
    else:
        first, _, rest = _FAR.sub("", words).partition(" ")
        if rest and first in _PICK_WORDS:
            words, pick = rest, _PICK_WORDS[first]
    noun = _strip_articles(words)
    # "the people on the left" are several, but nobody knows how many: no pick says that.
    label = None if _is_plural(noun, names) else _label_of(noun, names)
    return Reference(label, pick) if label and pick else None


def select_boxes(boxes: Sequence[Box], pick: Pick | None) -> tuple[Box, ...]:
    """The boxes that a pick means: all of them for None, else exactly one (none when there are none).

    Positions compare box centers. `middle` is the box nearest to the middle of the *instances*: the one
    of three dogs that has a dog on either side, wherever in the picture they stand. Ties go to the
    higher score, then to the earlier box.
    """
    if pick is None or not boxes:
        return tuple(boxes)
    middle_x = (min(map(_center_x, boxes)) + max(map(_center_x, boxes))) / 2
    middle_y = (min(map(_center_y, boxes)) + max(map(_center_y, boxes))) / 2
    distances: dict[Pick, Callable[[Box], float]] = {
        "left": _center_x,
        "right": lambda box: -_center_x(box),
        "top": _center_y,
        "bottom": lambda box: -_center_y(box),
        "middle": lambda box: abs(_center_x(box) - middle_x) + abs(_center_y(box) - middle_y),
        "largest": lambda box: -box.area,
        "smallest": lambda box: box.area,
    }
    distance = distances[pick]
    return (min(boxes, key=lambda box: (distance(box), -box.score)),)


def _center_x(box: Box) -> float:
    return (box.x0 + box.x1) / 2


def _center_y(box: Box) -> float:
    return (box.y0 + box.y1) / 2


def _strip_articles(words: str) -> str:
    return _ARTICLE.sub("", words, count=1)


def _names(objects: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Every name of the vocabulary, folded, to its label; a label beats a synonym of another label."""
    names: dict[str, str] = {}
    for label, synonyms in objects.items():
        for synonym in synonyms:
            names.setdefault(synonym.casefold(), label)
    return names | {label.casefold(): label for label in objects}


def _label_of(words: str, names: Mapping[str, str], plural: bool = True) -> str | None:
    """The label that a bare noun names, in the singular or (unless `plural` is off) the plural."""
    for form in (words, *(_singulars(words) if plural else ())):
        for spelling in (form, form.replace("-", " "), form.replace(" ", "")):
            if spelling in names:
                return names[spelling]
    return None


def _is_plural(words: str, names: Mapping[str, str]) -> bool:
    """Whether a noun stands in the plural; `scissors`, a name of the vocabulary as it is, does not."""
    return words.rpartition(" ")[2] in _IRREGULAR or _label_of(words, names, plural=False) is None


def _singulars(words: str) -> list[str]:
    """What the singular of a noun phrase may be, likeliest first: the last word carries the plural."""
    head, _, last = words.rpartition(" ")
    forms = []
    if last in _IRREGULAR:
        forms.append(_IRREGULAR[last])
    if last.endswith("ies") and len(last) > 4:
        forms.append(last[:-3] + "y")
    if last.endswith("s") and not last.endswith("ss"):
        forms.append(last[:-1])
    if last.endswith("es"):
        forms.append(last[:-2])
    return [f"{head} {form}".strip() for form in forms]
