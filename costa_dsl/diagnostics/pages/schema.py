"""Pages of the codes COS1xxx: the schemas of the files."""

from __future__ import annotations

from costa_dsl.diagnostics.pages.code import Code


def _plan(rest: str) -> str:
    return f"apiVersion: costa/v1\nkind: Plan\ntask: Remove the cup.\n{rest}\n"


_TREE = "tree: {do: object-removal, object: cup}"
_GOOD = _plan(_TREE)

PAGES = {
    "COS1001": Code("Not a mapping", "Every file is a mapping that begins with `apiVersion` and `kind`.", "- {do: object-removal, object: cup}\n", _GOOD),
    "COS1002": Code("No header", "`apiVersion` and `kind` tell which kind of file this is, so that `costa validate` can take any of them.", "kind: Plan\ntask: Remove the cup.\ntree: {do: object-removal, object: cup}\n", _GOOD),
    "COS1003": Code("An unknown version", "This costa reads files of the version costa/v1. A newer file needs a newer costa.", _GOOD.replace("costa/v1", "costa/v9"), _GOOD),
    "COS1004": Code("An unknown kind", "The kinds are Plan, Tool, SubtaskCatalog and BenchmarkTable.", _GOOD.replace("kind: Plan", "kind: Plam"), _GOOD),
    "COS1010": Code("The wrong type", "Another type of value is wanted here. Quotes make a text of a number; without quotes, digits are a number.", _plan('policy: {alpha: "1.0"}\n' + _TREE), _plan("policy: {alpha: 1.0}\n" + _TREE)),
    "COS1011": Code("A missing key", "The mapping needs a key that it does not have.", "apiVersion: costa/v1\nkind: Plan\ntask: Remove the cup.\n", _GOOD),
    "COS1012": Code("An unknown key", "No such key belongs here; most often it is a slip. Unknown keys are never ignored in silence.", _plan("polcy: {alpha: 1.0}\n" + _TREE), _plan("policy: {alpha: 1.0}\n" + _TREE)),
    "COS1013": Code("Not one of the allowed words", "Only certain words can stand here; the message lists them.", _plan("tree: {do: object-addition, object: cup, at: {of: the-dog, side: rigth}}"), _plan("tree:\n  - {do: object-segmentation, object: dog, id: the-dog}\n  - {do: object-addition, object: cup, at: {of: the-dog, side: right}}")),
    "COS1014": Code("A number out of bounds", "The number is too small, too large, or endless (`.inf`, `.nan`).", _plan("policy: {alpha: 3}\n" + _TREE), _plan("policy: {alpha: 2}\n" + _TREE)),
    "COS1015": Code("The wrong form", "The text does not have the form that is wanted here, such as a name in kebab case: lower-case letters, digits, and single hyphens between them.", _plan("tree: {do: object-removal, object: cup, id: The Cup}"), _plan("tree: {do: object-removal, object: cup, id: the-cup}")),
    "COS1016": Code("Too few or too many", "A list, mapping or text has the wrong number of entries; a box has four, for example, and a text is not empty.", _plan("tree: {do: object-removal, at: {box: [10, 20, 30]}}"), _plan("tree: {do: object-removal, object: cup, at: {box: [10, 20, 30, 40]}}")),
    "COS1017": Code("An entry twice", "Each entry of this list stands in it once.", _plan("policy: {tools: {avoid: [telea-removal, telea-removal]}}\n" + _TREE), _GOOD),
    "COS1018": Code("A key that needs another", "The key has a meaning only beside another one: `side` says on which side of the thing under `of`.", _plan("tree: {do: object-addition, object: cup, at: {side: left}}"), _plan("tree: {do: object-addition, object: cup, at: {box: [10, 20, 30, 40]}}")),
    "COS1019": Code("A value that fits nothing", "None of the forms that can stand here fits, or the key makes no sense beside the others.", "apiVersion: costa/v1\nkind: Tool\nname: blur\ntitle: Blur\nimplementation: blur\nimplements: [blur]\nneeds: [image]\ngives: [image]\nlicense: Apache-2.0\nparameters:\n  border: {type: string, default: mirror, minimum: 0}\n", "apiVersion: costa/v1\nkind: Tool\nname: blur\ntitle: Blur\nimplementation: blur\nimplements: [blur]\nneeds: [image]\ngives: [image]\nlicense: Apache-2.0\nparameters:\n  border: {type: string, default: mirror}\n"),
}  # fmt: skip
