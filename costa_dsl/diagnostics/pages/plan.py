"""Pages of the codes COS3xxx (plans) and COS4xxx (lowering)."""

from __future__ import annotations

from costa_dsl.diagnostics.pages.code import Code


def _plan(*steps: str, head: str = "") -> str:
    tree = "".join(f"  - {step}\n" for step in steps)
    return f"apiVersion: costa/v1\nkind: Plan\ntask: An example.\n{head}tree:\n{tree}"


_REMOVE = "{do: object-removal, object: dog}"
_GOOD = _plan(_REMOVE)

PAGES = {
    "COS3001": Code("Not a plan", "`costa compile` and `costa exec` take a file with exactly one document of kind Plan."),
    "COS3002": Code("No picture", "Name one with `--image FILE`, with `--image sample:NAME` for a photograph that comes along, or with `inputs: {image: FILE}` in the plan."),
    "COS3101": Code("An undefined variable", "`${name}` stands for an entry of the plan's `vars:`.", _plan("{do: object-removal, object: '${what}'}"), _plan("{do: object-removal, object: '${what}'}", head="vars: {what: dog}\n")),
    "COS3102": Code("Two steps with one id", "Other steps (`at: {of: id}`), reports and resumed runs name a step by its id.", _plan("{do: object-detection, object: dog, id: a}", "{do: object-detection, object: cat, id: a}"), _plan("{do: object-detection, object: dog, id: a}", "{do: object-detection, object: cat, id: b}")),
    "COS3103": Code("A plan without steps", "A plan does something: its tree needs at least one step."),
    "COS3104": Code("An unknown subtask", "`do:` names a subtask of the vocabulary, in kebab case. `costa tools list` shows all of them with their tools.", _plan("{do: object-recolouring, object: leaves, to: red}"), _plan("{do: object-recoloration, object: dog, to: red}")),
    "COS3105": Code("A word that the subtask does not have", "Each subtask takes certain words; an unknown one is never ignored in silence.", _plan("{do: object-recoloration, object: dog, color: red}"), _plan("{do: object-recoloration, object: dog, to: red}")),
    "COS3106": Code("A missing word", "The subtask cannot be done without this word.", _plan("{do: object-recoloration, object: dog}"), _plan("{do: object-recoloration, object: dog, to: red}")),
    "COS3107": Code("A wrong value for a word", "The value does not have the type or the bounds of its word; the help says what it means.", _plan("{do: image-upscaling, scale: two}"), _plan("{do: image-upscaling, scale: 2}")),
    "COS3108": Code("`of:` names no step", "`at: {of: id}` means the thing that an earlier step found; the id must be the id of such a step.", _plan("{do: object-segmentation, object: dog, id: the-dog}", "{do: object-removal, object: dog, at: {of: the-dgo}}"), _plan("{do: object-segmentation, object: dog, id: the-dog}", "{do: object-removal, object: dog, at: {of: the-dog}}")),
    "COS3109": Code("An unknown check", "`expect:` names checks of the vocabulary.", _plan("{do: object-removal, object: dog, expect: [object-gone]}"), _plan("{do: object-removal, object: dog, expect: [object-absent]}")),
    "COS3110": Code("An unknown tool", "`tools: {only: […], avoid: […]}` names tools of the catalog.", _plan(_REMOVE, head="policy: {tools: {avoid: [telee]}}\n"), _plan(_REMOVE, head="policy: {tools: {avoid: [telea]}}\n")),
    "COS3111": Code("A subtask that only the compiler uses", "Grounding and text style detection are put in by the compiler where a tool needs them.", _plan("{do: grounding, at: {color: red}}"), _GOOD),
    "COS3112": Code("A place found in no way, or in several", "`at:` finds a place in exactly one way: box, mask, point, color, text, or of. `within:` narrows another way down, `side:` goes with `of:`.", _plan("{do: object-removal, object: dog, at: {color: brown, point: [10, 20]}}"), _plan("{do: object-removal, object: dog, at: {color: brown, within: [10, 20, 300, 400]}}")),
    "COS3113": Code("`of:` names a later step", "A step can use what an earlier one found, not what will be found after it.", _plan("{do: object-removal, object: dog, at: {of: the-dog}}", "{do: object-segmentation, object: dog, id: the-dog}"), _plan("{do: object-segmentation, object: dog, id: the-dog}", "{do: object-removal, object: dog, at: {of: the-dog}}")),
    "COS3114": Code("A check with the wrong thing behind it", "Some checks may name a text, a color or an object (`{text-present: OPEN}`); the others stand alone. Quotes make a text of a number.", _plan("{do: object-removal, object: dog, expect: [{outside-unchanged: 3}]}"), _plan("{do: object-removal, object: dog, expect: [outside-unchanged]}")),
    "COS3201": Code("A thing that is no longer there", "An earlier step removes what this step works on.", _plan(_REMOVE, "{do: object-recoloration, object: dog, to: red}"), _plan("{do: object-recoloration, object: dog, to: red}", _REMOVE)),
    "COS3202": Code("The canvas changes late", "Widening, cropping or scaling gives every pixel a new place: what was found before has to be found again, and edits near the old border cannot see the new area. Put it first, unless the order is meant.", _plan(_REMOVE, "{do: outpainting, left: 10%}"), _plan("{do: outpainting, left: 10%}", _REMOVE)),
    "COS4001": Code("Too many orders", "`any_order` over n edits that influence each other allows all their orders: n · 2^(n-1) steps in the graph. Write items whose order does not matter as a list inside it; analyses cost nothing here."),
    "COS4101": Code("No tool for this subtask yet", "The vocabulary knows the subtask, but no manifest in the catalog implements it."),
    "COS4102": Code("Every tool for this step is excluded", "The message lists each tool with its reason: a package that is missing (with the command that brings it), `tools: only / avoid`, or a target that the tool cannot find."),
    "COS4103": Code("Nothing can supply what the tools need", "For example: an editor needs a mask, masks are made from boxes, and no detector here knows such an object. Point it out instead: `at: {box: …}`, `at: {color: …}`, `at: {point: …}`, `at: {mask: file}`."),
}  # fmt: skip
