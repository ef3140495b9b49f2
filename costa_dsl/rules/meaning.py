"""Which subtask somebody means who does not know its name: `recolour`, `erase text`, `upscale 2x`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from costa_dsl.diagnostics import closest
from costa_dsl.model.subtask import Vocabulary
from costa_dsl.syntax import folded

_SURE = 0.85
_LIKELY = 0.5
_FILLERS = frozenset(
    {"the", "a", "an", "it", "its", "this", "that", "my", "in", "of", "on", "to", "and", "some", "more"}
)
_AMOUNT = re.compile(r"(?<![\w.])(?:x\s?)?(\d+(?:\.\d+)?)\s?(x|%|times|degrees|°)?(?!\w)|\bx(\d+(?:\.\d+)?)\b")


@dataclass(frozen=True, slots=True)
class Meant:
    """A subtask, with the amount that stood in its name and the word that it belongs under (`2x` under `scale:`)."""

    subtask: str
    word: str = ""
    amount: str = ""


def subtask_meant(name: str, vocabulary: Vocabulary) -> Meant | None:
    """The plannable subtask that a text means, by name, title, spelling or phrase; None when nothing is near."""
    words = " ".join(re.split(r"[\s_-]+", name.strip().casefold()))
    bare, amount = _without_amount(words)
    found = (
        _by_name(words, vocabulary)
        or _by_spelling(words, vocabulary)
        or _by_phrase(bare, vocabulary)
        or closest(name, vocabulary.plannable())
    )
    if found is None:
        return None
    takes = vocabulary.subtasks[found].parameters
    word = next((word for word in ("scale", "angle", "amount") if word in takes), "")
    return Meant(found, word, amount) if amount and word else Meant(found)


def _by_name(words: str, vocabulary: Vocabulary) -> str | None:
    for name in vocabulary.plannable():
        if folded(words) in (folded(name), folded(vocabulary.subtasks[name].title)):
            return name
    return None


def _by_spelling(words: str, vocabulary: Vocabulary) -> str | None:
    near = closest(words, vocabulary.plannable())
    sure = near is not None and SequenceMatcher(None, folded(words), near).ratio() >= _SURE
    return near if sure else None


def _by_phrase(words: str, vocabulary: Vocabulary) -> str | None:
    """The subtask with the phrase that shares most words with the text; of equals, the first in the vocabulary."""
    verbs = _verbs(vocabulary)
    wanted = _content(words, verbs)
    best, found = _LIKELY, None
    for name, subtask in vocabulary.subtasks.items():
        for phrase in () if subtask.internal else subtask.phrases:
            offered = _content(phrase, verbs)
            alike = len(wanted & offered) / max(1, len(wanted | offered))
            if alike > best or (alike == best and found is None):
                best, found = alike, name
    return found


def _verbs(vocabulary: Vocabulary) -> dict[str, str]:
    """Phrases of one word, each with the first of its subtask: `erase` and `delete` are both `remove`."""
    verbs: dict[str, str] = {}
    for subtask in vocabulary.subtasks.values():
        single = [_stem(phrase) for phrase in subtask.phrases if " " not in phrase]
        for word in single:
            verbs.setdefault(word, single[0])
    return verbs


def _content(text: str, verbs: dict[str, str]) -> frozenset[str]:
    words = (_stem(word) for word in re.findall(r"[^\W_]+", text.casefold()) if word not in _FILLERS)
    return frozenset(verbs.get(word, word) for word in words)


def _stem(word: str) -> str:
    """A word without its ending: `recoloured`, `recolouring` and `recolour` are one."""
    word = word.casefold()
    for ending in ("ing", "ed", "er", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _without_amount(words: str) -> tuple[str, str]:
    """The text without its first amount, and that amount as a word's value: `2x` → `2`, `30%` → `30%`."""
    match = _AMOUNT.search(words)
    if match is None:
        return words, ""
    value = match[1] or match[3]
    return words[: match.start()] + words[match.end() :], value + ("%" if match[2] == "%" else "")
