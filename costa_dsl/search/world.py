"""A simulated world: what tools would do on one task, without a picture.

It makes up what a benchmark cannot know, and keeps to it. How a tool does at a subtask *on this task* differs from the
benchmark once and for all (a bias, which a search can learn), every input adds its own noise, and some attempts fail:

    quality of an attempt = benchmark + bias of the pair + noise, within [0, 1]; a third of that when it fails
    seconds of an attempt = benchmark · exp(bias of the pair + noise)

An attempt below the threshold is repeated, as in a run, until `attempts` are used up; each costs its seconds. All draws
are functions of the seed and of what is done to which input, never of the order in which somebody asks: every
strategy meets the same world. In a world without noise outcomes equal the estimates.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist

from costa_dsl.compiler.graph import ArtifactKey, Invocation
from costa_dsl.search.space import Label, Outcome

# What a failed attempt is worth, as a share of a good one: "key content lost" in the paper's partial scores (FACTS §4).
LEFT_OF_A_FAILURE = 1 / 3
# A retry repairs fewer failures than a first attempt avoids: what makes one attempt fail is still there. EditAgent
# accepts 73.3 % of its turns at the first and 91.4 % within three attempts (FACTS §5): 1 − (1 − r)² = 0.678.
RECOVERY = 0.43
# Draws end at so many standard deviations, so that a world has bounds and no single draw decides a comparison.
FARTHEST = 3.0


@dataclass(frozen=True, slots=True)
class Noise:
    """How much a world differs from the benchmark.

    Attributes:
        quality: standard deviation of what an input adds to quality.
        quality_bias: standard deviation of what a pair of tool and subtask adds on this task.
        seconds: standard deviation of the logarithm of the factor of an input; 0.2 is about 20 %.
        seconds_bias: the same for a pair.
        failures: probability that a tool fails at an input at first.
        recovery: probability that a retry after a failure does not fail again.
    """

    quality: float = 0.0
    quality_bias: float = 0.0
    seconds: float = 0.0
    seconds_bias: float = 0.0
    failures: float = 0.0
    recovery: float = RECOVERY

    @staticmethod
    def of(quality: float, seconds: float, persistence: float, failures: float) -> Noise:
        """Noise by its whole standard deviations, of which the share `persistence` (of the variance) is bias."""
        bias, rest = math.sqrt(persistence), math.sqrt(1.0 - persistence)
        return Noise(quality * rest, quality * bias, seconds * rest, seconds * bias, failures)

    @property
    def spread(self) -> tuple[float, float]:
        """The whole standard deviations of quality and of the logarithm of seconds."""
        return math.hypot(self.quality, self.quality_bias), math.hypot(self.seconds, self.seconds_bias)


@dataclass(frozen=True, slots=True)
class Tried:
    """All attempts of one invocation on one input."""

    outcome: Outcome
    attempts: int


@dataclass(frozen=True, slots=True)
class Lineage:
    """What a label works on, by what made it: the picture (its edits), and each artifact."""

    picture: str = ""
    made: Mapping[ArtifactKey, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class World:
    """One task's world.

    Attributes:
        threshold: the least quality that is accepted, in [0, 1]; a tool's own benchmark where that is less.
        attempts: how often a tool may try one input (≥ 1).
        analyses: the subtasks that change no picture.
        risky: pairs (tool, subtask) with a probability of failure of their own.
    """

    seed: int
    noise: Noise = Noise()
    threshold: float = 0.8
    attempts: int = 3
    analyses: frozenset[str] = frozenset()
    risky: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def outcome(self, label: Label) -> Outcome:
        """What comes of a label's invocation, with all of its attempts."""
        return self.tried(label).outcome

    def tried(self, label: Label) -> Tried:
        """The same, with the number of attempts."""
        assert label.invocation is not None
        assert label.parent is not None
        return self.on(label.invocation, content_of(label.invocation, self.lineage(label.parent)))

    def on(self, found: Invocation, content: str) -> Tried:
        """What comes of an invocation on the input that `content` (see content_of) stands for."""
        seconds, best, accepted, count = 0.0, 0.0, False, 0
        for cost, quality, fails in self._attempts(found, content):
            count += 1
            seconds += cost
            best = max(best, quality)
            accepted = not fails and quality >= min(self.threshold, found.quality)
            if accepted:
                break
        return Tried(Outcome(accepted, seconds, best, found.usd * count), count)

    def unseen(self, found: Invocation, content: str) -> Outcome:
        """What a single attempt gives that nobody looks at: it stays, whatever it is worth."""
        seconds, quality, _ = next(self._attempts(found, content))
        return Outcome(True, seconds, quality, found.usd)

    def lineage(self, label: Label) -> Lineage:
        """What is at hand at a label."""
        lineage = Lineage()
        for part in label.path():
            assert part.invocation is not None
            lineage = self.after(lineage, part.invocation, content_of(part.invocation, lineage))
        return lineage

    def after(self, before: Lineage, found: Invocation, content: str) -> Lineage:
        """What is at hand after an invocation."""
        made = {**before.made, **dict.fromkeys(found.gives, content)} if found.gives else before.made
        return Lineage(before.picture if found.subtask in self.analyses else content, made)

    def luckiest(self, found: Invocation) -> tuple[float, float]:
        """The least seconds and the best quality that the invocation can have in this world, on any input."""
        noise = self.noise
        bias, pace = _bias(self.seed, found.tool, found.subtask)
        least = _factor(noise.seconds_bias, pace) * _factor(noise.seconds, -FARTHEST)
        return found.seconds * least, _share(found.quality + noise.quality_bias * bias + noise.quality * FARTHEST)

    def _attempts(self, found: Invocation, content: str) -> Iterator[tuple[float, float, bool]]:
        """Seconds and quality of each attempt, and whether it fails."""
        noise = self.noise
        bias, pace = _bias(self.seed, found.tool, found.subtask)
        expected = found.seconds * _factor(noise.seconds_bias, pace)
        failures = self.risky.get((found.tool, found.subtask), noise.failures)
        for number in range(1, self.attempts + 1):
            luck, tempo, fate = _drawn(f"{self.seed}|{content}|{number}")
            quality = _share(found.quality + noise.quality_bias * bias + noise.quality * _normal(luck))
            fails = fate < failures
            if fails:
                quality *= LEFT_OF_A_FAILURE
            yield expected * _factor(noise.seconds, _normal(tempo)), quality, fails
            # A failure makes the next attempt likelier to fail; a result that was merely weak does not.
            failures = 1.0 - noise.recovery if fails else failures


def content_of(found: Invocation, lineage: Lineage) -> str:
    """What is done to which input, as a digest: equal for two invocations that run the same tool on the same input.

    The input is the picture, by the edits that made it, and the needed artifacts, by what made them. An analysis
    changes no picture: paths with other analyses in between share the results of their edits.
    """
    inputs = [lineage.picture, *(lineage.made.get(key, "") for key in found.needs)]
    return _digest("|".join([found.tool, found.subtask, found.step, found.role, *inputs])).hex()


def _digest(text: str, size: int = 12) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=size).digest()


def _drawn(text: str) -> tuple[float, float, float]:
    """Three numbers in (0, 1) that are the same for the same words, in every process."""
    digest = _digest(text, 24)
    first, second, third = ((int.from_bytes(digest[place : place + 8], "big") + 0.5) / 2**64 for place in (0, 8, 16))
    return first, second, third


_NORMAL = NormalDist()


def _normal(uniform: float) -> float:
    return max(-FARTHEST, min(FARTHEST, _NORMAL.inv_cdf(uniform)))


@lru_cache(maxsize=4096)
def _bias(seed: int, tool: str, subtask: str) -> tuple[float, float]:
    """How many standard deviations a pair differs from its benchmark in quality and in seconds."""
    quality, seconds, _ = _drawn(f"{seed}|bias|{tool}|{subtask}")
    return _normal(quality), _normal(seconds)


def _factor(deviation: float, draw: float) -> float:
    """A log-normal factor whose mean is 1: the benchmark's seconds are means."""
    return math.exp(deviation * draw - deviation * deviation / 2)


def _share(quality: float) -> float:
    return min(1.0, max(0.0, quality))
