"""Pages of the codes COS0xxx: files, and YAML itself."""

from __future__ import annotations

from costa_dsl.diagnostics.pages.code import Code


def _plan(rest: str, task: str = "Remove the cup.") -> str:
    return f"apiVersion: costa/v1\nkind: Plan\ntask: {task}\n{rest}"


_GOOD = _plan("tree:\n  - {do: object-removal, object: cup}\n")

PAGES = {
    "COS0001": Code("No such file", "The path leads to nothing. A path that does not begin with `/` starts at the current folder."),
    "COS0002": Code("A folder in place of a file", "`costa validate` takes folders; the other commands take one file."),
    "COS0003": Code("A file that cannot be read", "The system refused to open it; the message gives the system's reason, often a permission."),
    "COS0004": Code("A file too large", "Plans, manifests and tables are small. More than 10 MB is refused before it is read, so that a wrong path costs no time."),
    "COS0005": Code("Not UTF-8", "Files are read as UTF-8, or as UTF-16 or UTF-32 with a byte order mark. Editors can save a file in another encoding: choose UTF-8."),
    "COS0006": Code("Not a text file", "The file holds NUL bytes, which no text has. A picture belongs under `inputs:` of a plan, or behind `--image`."),
    "COS0007": Code("An empty file", "The file holds no value, only blanks or comments.", "# nothing yet\n", _GOOD),
    "COS0008": Code("No YAML file in a folder", "A folder was given, and neither it nor a folder below it holds a file that ends in .yaml or .yml."),
    "COS0009": Code("An unknown code", "`costa explain` knows no such code. Codes are COS and four digits."),
    "COS0010": Code("Not YAML", "The text breaks a rule of YAML that has no code of its own. The fault often stands in the line above the one that is shown.", "a: >x\n  b\n", _GOOD),
    "COS0011": Code("A tab as indentation", "YAML indents with spaces only, since a tab is as wide as each editor likes.", _plan("tree:\n\t- {do: object-removal, object: cup}\n"), _GOOD),
    "COS0012": Code("A merge conflict", "Git could not join two versions of the file and left both in it, between lines of `<`, `=` and `>`. Keep what you want and delete those lines.", _plan("<<<<<<< HEAD\ntree: {do: object-removal, object: cup}\n=======\ntree: {do: object-removal, object: mug}\n>>>>>>> topic\n"), _GOOD),
    "COS0013": Code("An open bracket or quote", "A `[`, `{` or quote was opened and not closed, or something stands between brackets that does not belong there.", _plan("tree: [{do: object-removal, object: cup}\n"), _GOOD),
    "COS0014": Code("An invisible character", "A character stands in the file that no editor shows: a control character, a line separator, a byte order mark in the middle. They come with copied text.", _plan('tree: {do: object-removal, object: "cup\u2028"}\n'), _GOOD),
    "COS0015": Code("A text that needs quotes", "A text without quotes cannot hold `: `, and cannot begin with `@`, a backtick, `%` and some other characters. Quotes around it help.", _plan("tree: {do: object-removal, object: cup}\n", task="Remove: the cup: all of it"), _plan("tree: {do: object-removal, object: cup}\n", task='"Remove: the cup: all of it"')),
    "COS0016": Code("A line at the wrong place", "The keys of one mapping stand at one indentation, and so do the items of one list. This line fits to none of those above it.", _plan("tree:\n  - do: object-removal\n   object: cup\n"), _plan("tree:\n  - do: object-removal\n    object: cup\n")),
    "COS0017": Code("An unknown escape", "Inside double quotes a backslash begins an escape, such as `\\n` or `\\u03b1`. Inside single quotes it is a backslash.", _plan('tree: {do: text-redaction, pattern: "\\d+"}\n'), _plan("tree: {do: text-redaction, pattern: '\\d+'}\n")),
    "COS0018": Code("A nameless anchor or alias", "`&name` gives a value a name, `*name` repeats it. A text that begins with `&` or `*` needs quotes.", _plan("tree: {do: text-removal, text: *}\n"), _plan('tree: {do: text-removal, text: "*"}\n')),
    "COS0019": Code("An unknown directive", "A line that begins with `%` is a directive to YAML. costa needs none.", "%COSTA 1\n---\n" + _GOOD, _GOOD),
    "COS0020": Code("A key twice", "YAML allows each key once in a mapping. Many readers keep the last in silence; costa asks which one is meant.", _plan("task: Remove the mug.\ntree: {do: object-removal, object: cup}\n"), _GOOD),
    "COS0021": Code("A key that is no text", "Keys are texts. `1`, `true` and an empty key are not, unless they stand in quotes.", _plan("tree: {do: object-removal, object: cup}\ntrue: 1\n"), _GOOD),
    "COS0022": Code("A merge key", "`<<` was an idea for YAML 1.1 and is no part of YAML 1.2. Where mappings merge, nobody sees which value counts.", _plan("vars: &v {color: red}\ntree: {<<: *v, do: object-removal, object: cup}\n"), _GOOD),
    "COS0023": Code("A tag", "`!name` tags a value with a type. costa reads plain data and gives tags no meaning, apart from YAML's own `!!str`, `!!int`, `!!float`, `!!bool` and `!!null`.", _plan("tree: !edit {do: object-removal, object: cup}\n"), _GOOD),
    "COS0024": Code("An alias without its anchor", "`*name` repeats the value that `&name` named earlier in the same document.", _plan("vars: {what: &cup cup}\ntree: {do: object-removal, object: *cub}\n"), _plan("vars: {what: &cup cup}\ntree: {do: object-removal, object: *cup}\n")),
    "COS0025": Code("A value inside itself", "An alias stands inside the very value that it repeats, which has no end.", _plan("tree: &all [{do: object-removal, object: cup}, *all]\n"), _GOOD),
    "COS0026": Code("Too many values", "Written out, the document would hold more than 200,000 values. A few lines of aliases of aliases can mean billions.", "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 30 if n else ['1'] * 30)}]\n" for n in range(4)), _GOOD),
    "COS0027": Code("Nested too deep", "Values may be nested a hundred levels deep.", _plan("tree: " + "[" * 101 + "]" * 101 + "\n"), _GOOD),
    "COS0028": Code("A value that does not fit its tag", "`!!int` stands before something that is no whole number, or a number has more than a hundred digits.", _plan("policy: {seed: !!int seven}\ntree: {do: object-removal, object: cup}\n"), _plan("policy: {seed: 7}\ntree: {do: object-removal, object: cup}\n")),
    "COS0030": Code("An old version of YAML", "costa reads YAML 1.2, where `no`, `on` and `12:30` are texts and `017` is seventeen. A document that declares 1.1 may mean something else.", "%YAML 1.1\n---\n" + _GOOD, _GOOD),
}  # fmt: skip
