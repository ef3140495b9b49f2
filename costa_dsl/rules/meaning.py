"""Which subtask somebody means who does not know its name: `recolour`, `erase text`, `upscale 2x`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache

from costa_dsl.diagnostics import closest
from costa_dsl.model.subtask import Vocabulary
from costa_dsl.syntax import folded

_SURE = 0.85
_LIKELY = 0.8
_MOST_SCALE = 8
_LEAST_PERCENT = 5
_LESS = frozenset({"less", "lower", "decrease", "reduce", "darker", "darken", "cooler", "colder", "weaker"})
_FILLERS = frozenset(
    {"the", "a", "an", "it", "its", "this", "that", "my", "in", "of", "on", "to", "and", "some", "more", "please"}
)
# removeObject
_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_AMOUNT = re.compile(r"(?<![\w.])(?:x\s?)?(\d+(?:\.\d+)?)\s?(x|%|times|degrees|°)?(?!\w)|\bx(\d+(?:\.\d+)?)\b")


@dataclass(frozen=True, slots=True)
class Meant:
    """A subtask, with the amount that stood in its name and the word that it belongs under (`2x` under `scale:`)."""

    subtask: str
    word: str = ""
    amount: str = ""


def subtask_meant(name: str, vocabulary: Vocabulary) -> Meant | None:
    """The plannable subtask that a text means, by name, title, spelling or phrase; None when nothing is near."""
    words = " ".join(re.split(r"[\s_-]+", _CAPITALS.sub(" ", name.strip()).casefold()))
    bare, amount = _without_amount(words)
    phrases = _phrases(vocabulary)
    wanted = phrases.content(bare)
    found = (
        _by_name(words, vocabulary)
        or phrases.exact.get(frozenset(_stems(bare)))
        or phrases.equal_to(wanted)
        or _by_spelling(words, vocabulary, _SURE)
        or phrases.inside(wanted)
        or phrases.like(wanted)
        or _by_spelling(words, vocabulary, _LIKELY)
    )
    if found is None:
        return None
    word = next((word for word in ("scale", "angle", "amount") if word in vocabulary.subtasks[found].parameters), "")
    value = _as_value(amount, word, bare) if amount and word else ""
    return Meant(found, word, value) if value else Meant(found)


def _by_name(words: str, vocabulary: Vocabulary) -> str | None:
    for name in vocabulary.plannable():
        if folded(words) in (folded(name), folded(vocabulary.subtasks[name].title)):
            return name
    return None


def _by_spelling(words: str, vocabulary: Vocabulary, least: float) -> str | None:
    near = closest(words, vocabulary.plannable())
    sure = near is not None and SequenceMatcher(None, folded(words), near).ratio() >= least
    return near if sure else None


@dataclass(frozen=True)
class _Phrases:
    """The phrases of a vocabulary, each as the set of its stems with its subtask; of equals, the first counts.

    Attributes:
        exact: the same, with the stems as they are.
        stems: every stem of a phrase, with the one that it is counted as: `erase` and `delete` are both `remove`.
        weights: how much each stem tells: less, the more subtasks have it.
    """

    entries: Sequence[tuple[frozenset[str], str]]
    exact: Mapping[frozenset[str], str]
    stems: Mapping[str, str]
    weights: Mapping[str, float]

    def content(self, text: str) -> frozenset[str]:
        """The stems of a text, misspelt ones mended."""
        return frozenset(self.stems.get(stem) or self._mended(stem) for stem in _stems(text))

    def equal_to(self, wanted: frozenset[str]) -> str | None:
        return next((name for content, name in self.entries if content == wanted), None)

    def inside(self, wanted: frozenset[str]) -> str | None:
        """The subtask of the most telling phrase that stands in the text as a whole."""
        whole = [(content, name) for content, name in self.entries if content <= wanted]
        return max(whole, key=lambda entry: sum(self.weights[stem] for stem in entry[0]), default=(None, None))[1]

    def like(self, wanted: frozenset[str]) -> str | None:
        """The subtask of the phrase that shares most with the text, and more than half."""

        def alike(entry: tuple[frozenset[str], str]) -> float:
            return len(wanted & entry[0]) / len(wanted | entry[0])

        best = max(self.entries, key=alike, default=None)
        return best[1] if best is not None and alike(best) > 0.5 else None

    def _mended(self, stem: str) -> str:
        known = [other for other in self.stems if other[0] == stem[0]] if len(stem) > 3 else []
        near = get_close_matches(stem, known, n=1, cutoff=_SURE)
        return self.stems[near[0]] if near else stem


@lru_cache(maxsize=4)
def _phrases(vocabulary: Vocabulary) -> _Phrases:
    phrases = {name: subtask.phrases for name, subtask in vocabulary.subtasks.items() if not subtask.internal}
    counted_as: dict[str, str] = {}
    for own in phrases.values():
        single = [stems[0] for phrase in own if len(stems := _stems(phrase)) == 1]
        for stem in single:
            counted_as.setdefault(stem, single[0])
    entries = []
    exact: dict[frozenset[str], str] = {}
    owners: dict[str, set[str]] = {}
    for name, own in phrases.items():
        for phrase in own:
            stems = [counted_as.setdefault(stem, stem) for stem in _stems(phrase)]
            if stems:
                entries.append((frozenset(stems), name))
                exact.setdefault(frozenset(_stems(phrase)), name)
            for stem in stems:
                owners.setdefault(stem, set()).add(name)
    return _Phrases(entries, exact, counted_as, {stem: 1 / len(names) for stem, names in owners.items()})


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in re.findall(r"[^\W_]+", text.casefold()) if word not in _FILLERS]


def _stem(word: str) -> str:
    """A word without its ending: `recoloured`, `recolouring` and `recolour` are one."""
    word = word.casefold()
    for ending in ("ing", "ed", "er", "en", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _as_value(amount: str, word: str, words: str) -> str:
    """An amount as its word takes it, or nothing: `200%` is a scale of 2, and 30% darker is `-30%`."""
    number, percent = float(amount.removesuffix("%")), amount.endswith("%")
    if word == "scale":
        scale = number / 100 if percent else number
        return f"{scale:g}" if scale <= _MOST_SCALE else ""
    if word == "amount":
        if not percent and 1 < number < _LEAST_PERCENT:
            return ""  # A factor, or a percentage? Nobody knows.
        sign = "-" if _LESS.intersection(words.split()) else ""
        return f"{sign}{amount}{'%' if not percent and number > 1 else ''}"
    return "" if percent else amount


def _without_amount(words: str) -> tuple[str, str]:
    """The text without its first amount, and that amount as a word's value: `2x` → `2`, `30%` → `30%`."""
    match = _AMOUNT.search(words)
    if match is None:
        return words, ""
    value = match[1] or match[3]
    return words[: match.start()] + words[match.end() :], value + ("%" if match[2] == "%" else "")
