"""Reads an objective as people write it: `name` or `name:argument`, as in `costa`, `min-quality:0.9`, `max-cost:30`.

More come as entry points in the group `costa.objectives`: a callable that takes the argument and α and gives an
Objective. One whose rank is not monotone is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import product

from costa_dsl.model.objective import CRITERIA, QUALITY, SECONDS, USD, CostaObjective, Objective, shown
from costa_dsl.model.objectives import Criteria, Lexicographic, MaxCost, MinQuality, Money, WeightedSum

GROUP = "costa.objectives"


class ObjectiveError(ValueError):
    """An objective that cannot be read: what is wrong, and what to write instead."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.message = message
        self.help = help


_NUMBER_HELP = "write it as in `min-quality:0.9` or `max-cost:30` (seconds) or `max-cost:0.05usd`"


def _number(name: str, argument: str, least: float, most: float) -> float:
    try:
        value = float(argument)
    except ValueError:
        value = math.nan
    if not (least <= value <= most and value < math.inf):
        wanted = f"a number from {least:g} to {most:g}" if most < math.inf else f"a number from {least:g}"
        raise ObjectiveError(f'"{name}" needs {wanted}, not "{argument}"', _NUMBER_HELP)
    return value


def _levels(name: str, argument: str, least: Mapping[str, float]) -> dict[str, float]:
    """`seconds=1,quality=60` as a mapping."""
    found: dict[str, float] = {}
    for part in argument.split(","):
        key, sign, number = part.partition("=")
        key = key.strip()
        if key not in CRITERIA or not sign or key in found:
            raise ObjectiveError(
                f'"{name}" needs seconds, quality and usd at most once each, as `name=number`; found "{part.strip()}"',
                f"write it as in `{name}:seconds=30,quality=0.9`",
            )
        found[key] = _number(f"{name}: {key}", number.strip(), least[key], math.inf)
    return found


def _weighted_sum(argument: str, alpha: float) -> Objective:  # noqa: ARG001
    found = WeightedSum(**_levels("weighted-sum", argument, dict.fromkeys(CRITERIA, 0.0)))
    if not found.criteria:
        raise ObjectiveError(
            "every weight is 0", "give one of them a weight, as in `weighted-sum:seconds=1,quality=60`"
        )
    return found


def _lexicographic(argument: str, alpha: float) -> Objective:  # noqa: ARG001
    order = tuple(part.strip() for part in argument.split(","))
    if len(set(order)) != len(order) or not set(order) <= set(CRITERIA):
        raise ObjectiveError(
            f'"lexicographic" needs some of seconds, quality and usd, each once; found "{argument}"',
            "write it as in `lexicographic:quality,seconds`",
        )
    return Lexicographic(order)


def _min_quality(argument: str, alpha: float) -> Objective:  # noqa: ARG001
    return MinQuality(_number("min-quality", argument, 0.0, 1.0))


def _max_cost(argument: str, alpha: float) -> Objective:  # noqa: ARG001
    text = argument.strip().lower()
    if text.endswith(USD):
        return MaxCost(_number("max-cost", text.removesuffix(USD).strip(), 0.0, math.inf), USD)
    return MaxCost(_number("max-cost", text.removesuffix("s").strip(), 0.0, math.inf))


def _criteria(argument: str, alpha: float) -> Objective:  # noqa: ARG001
    levels = _levels("criteria", argument, dict.fromkeys(CRITERIA, 0.0))
    for name, level in levels.items():
        if level <= 0 or (name == QUALITY and level > 1):
            raise ObjectiveError(
                f'"criteria" needs levels above 0, and for quality at most 1; found {name}={level:g}',
                "write it as in `criteria:seconds=30,quality=0.9`",
            )
    return Criteria(tuple(levels.items()))


_ARGUED: dict[str, Callable[[str, float], Objective]] = {
    "weighted-sum": _weighted_sum,
    "lexicographic": _lexicographic,
    "min-quality": _min_quality,
    "max-cost": _max_cost,
    "criteria": _criteria,
}
_PLAIN: dict[str, Callable[[float], Objective]] = {"costa": CostaObjective, "money": Money}

# Each as people write it, with what it asks for.
BUILT_IN = {
    "costa": "the least J at α, the default",
    "weighted-sum:seconds=1,quality=60,usd=10": "the least weighted sum of seconds, lost quality and dollars",
    "lexicographic:quality,seconds": "the first criterion decides, among equals the next",
    "min-quality:0.9": "the fastest path whose quality reaches 0.9",
    "max-cost:30": "the best quality within 30 seconds (`max-cost:0.05usd`: within 0.05 dollars)",
    "money": "the fewest dollars, among equals the least J",
    "criteria:seconds=30,quality=0.9": "the least largest ratio of a criterion to the level hoped for",
}


def read_objective(spec: str, alpha: float) -> Objective:
    """The objective that somebody wrote.

    Raises:
        ObjectiveError: there is none of that name, its argument is wrong, or a plug-in is not monotone.
    """
    name, colon, argument = spec.strip().partition(":")
    if name in _PLAIN:
        if colon:
            raise ObjectiveError(f'"{name}" takes no argument, found "{argument}"', f"write `{name}`")
        return _PLAIN[name](alpha)
    if name in _ARGUED:
        return _ARGUED[name](argument, alpha)
    # Imported here: it takes longer than all the rest of this room.
    from importlib.metadata import entry_points

    found = entry_points(group=GROUP, name=name)
    if len(found) > 1:
        raise ObjectiveError(
            f'{len(found)} installed packages define an objective "{name}"', "uninstall all of them but one"
        )
    for plug_in in found:
        try:
            objective: Objective = plug_in.load()(argument, alpha)
            _demand_monotone(name, objective)
        except ObjectiveError:
            raise
        except Exception as error:
            raise ObjectiveError(
                f'the objective "{name}" does not work: {type(error).__name__}: {error}',
                "see the documentation of the package that defines it",
            ) from error
        return objective
    raise ObjectiveError(
        f'there is no objective "{name}"', "write one of: " + ", ".join(f"`{one}`" for one in BUILT_IN)
    )


_SAMPLES = {SECONDS: (0.0, 0.04, 1.0, 30.0, 500.0), QUALITY: (1.0, 0.97, 0.8, 0.3, 0.0), USD: (0.0, 0.01, 2.0)}


def _demand_monotone(name: str, objective: Objective) -> None:
    """Refuse a plug-in with a rank that falls where a path gets worse: the search would prove what is not true."""
    for point in product(*_SAMPLES.values()):
        for index, (criterion, samples) in enumerate(_SAMPLES.items()):
            place = samples.index(point[index])
            if place + 1 == len(samples):
                continue
            worse = (*point[:index], samples[place + 1], *point[index + 1 :])
            before, after = objective.rank(*point), objective.rank(*worse)
            if after < before or (criterion not in objective.criteria and after != before):
                what = "falls" if after < before else f"changes, though {criterion} is not among its criteria,"
                raise ObjectiveError(
                    f'the objective "{name}" {what} from {shown(before)} to {shown(after)} as {criterion} gets worse, '
                    f"from {point[index]:g} to {samples[place + 1]:g}",
                    "an objective's rank must never fall as seconds or dollars grow or quality falls",
                )
