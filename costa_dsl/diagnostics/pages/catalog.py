"""Pages of the codes COS2xxx: tool manifests, benchmark tables and the vocabulary."""

from __future__ import annotations

from costa_dsl.diagnostics.pages.code import Code


def _tool(
    name: str = "my-telea",
    implementation: str = "telea",
    implements: str = "object-removal",
    needs: str = "image, mask",
    gives: str = "image",
    more: str = "license: Apache-2.0\n",
) -> str:
    return (
        f"apiVersion: costa/v1\nkind: Tool\nname: {name}\ntitle: A tool\nimplementation: {implementation}\n"
        f"implements: [{implements}]\nneeds: [{needs}]\ngives: [{gives}]\ndeterminism: pure\n{more}"
    )


def _table(tool: str = "telea", subtask: str = "object-removal", twice: bool = False) -> str:
    row = f"  - {{tool: {tool}, subtask: {subtask}, seconds: 0.2, quality: 0.6, n: 1}}\n"
    return "apiVersion: costa/v1\nkind: BenchmarkTable\ntitle: Measured here\nsource: an example\nrows:\n" + row * (
        2 if twice else 1
    )


_WITH_ROW = _tool() + "---\n" + _table("my-telea")
_GROW = "license: Apache-2.0\nparameters: {grow: {type: integer, default: 8, minimum: 0}}\n"

PAGES = {
    "COS2001": Code("An unknown subtask in a manifest", "A tool implements subtasks of the vocabulary (tools/subtasks.yaml). Adding a subtask means adding it there first.", _tool(implements="object-removel"), _WITH_ROW),
    "COS2002": Code("An unknown artifact", "Tools hand typed artifacts to each other; the vocabulary lists the types under `artifacts:`.", _tool(needs="image, maks"), _WITH_ROW),
    "COS2003": Code("An unknown check or guarantee", "`guarantees:` and `remedies:` name checks of the vocabulary. Only checks marked `guarantee: true` can be guaranteed.", _tool(more="license: MIT\nguarantees: [inside-changed]\n"), _tool(more="license: MIT\nguarantees: [canvas-size]\n") + "---\n" + _table("my-telea")),
    "COS2004": Code("An unknown parameter", "`retries:` and `remedies:` change the tool's own parameters, which `parameters:` defines.", _tool(more=_GROW + "retries: [{grwo: 16}]\n"), _tool(more=_GROW + "retries: [{grow: 16}]\n") + "---\n" + _table("my-telea")),
    "COS2005": Code("A parameter value that breaks its own rules", "A default, retry or remedy must fit the type and bounds that the parameter itself declares.", _tool(more=_GROW + "retries: [{grow: -1}]\n"), _tool(more=_GROW + "retries: [{grow: 16}]\n") + "---\n" + _table("my-telea")),
    "COS2006": Code("Two tools with one name", "Plans, benchmark rows and run records name tools; a name stands for one tool.", _tool() + "---\n" + _tool() + "---\n" + _table("my-telea"), _WITH_ROW),
    "COS2007": Code("No such implementation", "`implementation:` names an entry point in the group `costa.tools` of an installed package; a manifest never names code by an import path. The tool is taken for missing on this machine.", _tool(implementation="no-such-code"), _WITH_ROW),
    "COS2008": Code("No benchmark row", "The search weighs seconds against quality, and a pair without a row would look free and perfect. Measure it, write a row, and say where the numbers come from.", _tool(), _WITH_ROW),
    "COS2009": Code("A benchmark row for nothing", "A row is about a tool of the catalog and a subtask that this tool implements.", _table(subtask="outpainting"), _table()),
    "COS2010": Code("Two benchmark rows for one pair", "Each tool–subtask pair has one row in a catalog.", _table(twice=True), _table()),
    "COS2011": Code("A tool that does not give what its subtask promises", "Each subtask of the vocabulary says what it gives; a tool for it must give that.", _tool(gives="boxes"), _WITH_ROW),
    "COS2012": Code("No licence", "People need to know what they may do with a tool's code or weights. Add `license:` with the SPDX name.", _tool(more=""), _WITH_ROW),
    "COS2013": Code("An unknown word in the vocabulary", "The `parameters:` of a subtask are words that the same file defines under `words:`."),
    "COS2014": Code("A tool that needs what it gives", "An artifact that a tool both needs and gives can never be supplied by it: leave it out on one side.", _tool(implements="object-segmentation", gives="mask"), _WITH_ROW),
    "COS2101": Code("An empty catalog", "`--catalog` names a folder with manifests (*.yaml), or `default` for those that come with costa."),
    "COS2102": Code("No vocabulary", "A catalog needs one file of kind SubtaskCatalog; costa's own is tools/subtasks.yaml."),
    "COS2103": Code("No such tool", "`costa tools list` shows every tool by subtask."),
}  # fmt: skip
