"""What is wrong with a text that is no YAML, said in the words of the person who wrote it."""

from __future__ import annotations

import re

import yaml

from costa_dsl.diagnostics import Diagnostic, Related, Severity, SourceSpan, SourceText

# What libyaml refuses, or reads in a way that nobody sees: control characters, lone surrogates, line
# separators, and a byte order mark in the middle (two files were joined).
_UNSEEN = "[^\t\n\r -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
_CONFLICT = re.compile(r"^(<{7}|\|{7}|={7}|>{7})(?: [^\n]*)?\r?$", re.MULTILINE)
_TAB_INDENT = re.compile(r" *\t")

# (words of libyaml, code, message, help); the first that fits speaks.
_FAULTS = (
    (
        "mapping values are not allowed",
        "COS0015",
        'a ": " cannot stand here',
        "put quotes around a text with a colon in it; a key goes on a line of its own",
    ),
    (
        "block sequence entries are not allowed",
        "COS0016",
        'a list item ("- ") cannot stand here',
        "put the list on the next line, indented",
    ),
    (
        "cannot start any token",
        "COS0015",
        "a plain text cannot begin with this character",
        "put quotes around the text",
    ),
    ("found unexpected end of stream", "COS0013", "this quote is never closed", "add the closing quote"),
    (
        "found unexpected document indicator",
        "COS0013",
        "this quote is still open where a new document begins",
        "add the closing quote",
    ),
    (
        "could not find expected ':'",
        "COS0016",
        'a key is expected here, with ": " behind it',
        "check the colon and the space after it, and the indentation",
    ),
    (
        "found unknown escape character",
        "COS0017",
        "no escape of YAML looks like this",
        "use single quotes, or double the backslash",
    ),
    (
        "did not find expected hexdecimal number",
        "COS0017",
        "this escape needs more hexadecimal digits",
        "use single quotes, or double the backslash",
    ),
    (
        "found undefined tag handle",
        "COS0023",
        "costa gives no meaning to this tag",
        "remove it; quote a text that begins with `!`",
    ),
    (
        "did not find expected ',' or '}'",
        "COS0013",
        'expected "," or the closing "}"',
        "close the bracket, or put quotes around a text that holds brackets or commas",
    ),
    (
        "did not find expected ',' or ']'",
        "COS0013",
        'expected "," or the closing "]"',
        "close the bracket, or put quotes around a text that holds brackets or commas",
    ),
    (
        "did not find expected node content",
        "COS0013",
        "a value is expected here",
        "close the bracket, or write the missing value",
    ),
    (
        "did not find expected key",
        "COS0016",
        "this line fits to no mapping above it",
        "give the keys of one mapping the same indentation; put quotes around texts that hold quotes",
    ),
    (
        "did not find expected '-' indicator",
        "COS0016",
        'a list item ("- ") is expected here',
        "give this line its place: a key of the mapping around the list, or an item of the list",
    ),
    (
        "did not find expected <document start>",
        "COS0016",
        "the document has ended before this",
        "check the indentation; several documents are parted by a line `---`",
    ),
    ("maximum nesting depth", "COS0027", "this is nested more than 100 levels deep", "flatten it"),
    (
        "anchor",
        "COS0018",
        "the name of an anchor or alias is expected here",
        "quote a text that begins with `&` or `*`",
    ),
    ("alias", "COS0018", "the name of an anchor or alias is expected here", "quote a text that begins with `&` or `*`"),
    ("directive", "COS0019", "YAML has no such directive", "quote a text that begins with `%`"),
    (
        "incompatible YAML document",
        "COS0019",
        "this version of YAML is unknown",
        "remove the line; costa reads YAML 1.2",
    ),
)


def find_faults(source: SourceText) -> list[Diagnostic]:
    """Faults seen before parsing (conflict markers, characters that cannot be seen); any of them ends the reading."""
    return _conflicts(source) or _unseen(source)


# They reorder what is shown, or take no room: two texts that look alike would differ. The joiners U+200C and U+200D
# are left alone: emoji and some scripts are written with them.
_HIDING = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069]")


def hiding_characters(source: SourceText) -> list[Diagnostic]:
    """A warning for each character that can be read and that nobody sees."""
    if source.text.isascii():
        return []
    return [
        Diagnostic(
            "COS0035",
            f"the character U+{ord(match[0]):04X} stands here, and no editor shows it",
            SourceSpan(source, match.start(), match.end()),
            Severity.WARNING,
            help="delete it; it mostly comes with copied text, and makes texts differ that look alike",
        )
        for match in _HIDING.finditer(source.text)
    ]


def syntax_fault(source: SourceText, error: yaml.MarkedYAMLError, shift: int) -> Diagnostic:
    """The finding for an error of libyaml; `shift` is what its positions lack."""
    problem = error.problem or error.context or ""
    mark = error.problem_mark or error.context_mark
    offset = min(mark.index + shift, len(source.text)) if mark else 0
    tab = _tab_at(source, offset)
    if tab is not None:
        return Diagnostic(
            "COS0011", "a tab indents this line; YAML indents with spaces only", tab, help="replace it with spaces"
        )
    if "directive" in problem and error.context_mark is not None:
        offset = min(error.context_mark.index + shift, len(source.text))
    related = _context(source, error, shift, offset)
    if related and "quote" in related[0].message and "unexpected" in problem:
        # The end of the text says nothing; the quote that was never closed says all.
        offset, related = related[0].span.start, ()
    span = _visible_place(source, offset)
    said = f"{problem} {error.context or ''}"
    for words, code, message, help in _FAULTS:
        if words in said:
            return Diagnostic(code, message, span, help=help, related=related)
    return Diagnostic(
        "COS0010", f"this is not YAML: {problem}", span, help="check the line and the one above", related=related
    )


def _conflicts(source: SourceText) -> list[Diagnostic]:
    markers = list(_CONFLICT.finditer(source.text))
    # A row of seven equals signs alone may be a text; a conflict has its first or last marker.
    if not any(marker[1][0] in "<>" for marker in markers):
        return []
    found: list[Diagnostic] = []
    group: list[SourceSpan] = []
    for marker in [*markers, None]:
        if group and (marker is None or marker[1][0] == "<"):
            first, *others = group
            found.append(
                Diagnostic(
                    "COS0012",
                    "a merge conflict was left here",
                    first,
                    help="keep one side (or join both) and delete the marker lines",
                    related=tuple(Related("a marker of the same conflict", span) for span in others),
                )
            )
            group = []
        if marker is not None:
            group.append(SourceSpan(source, marker.start(), marker.start() + len(marker[0].rstrip("\r"))))
    return found


def _unseen(source: SourceText) -> list[Diagnostic]:
    start = 1 if source.text.startswith("\ufeff") else 0
    text = source.text
    if text.replace("\n", "").replace("\r", "").replace("\t", "").isprintable():
        return []  # nearly every file; the pattern takes longer to compile than the file to read
    found = re.compile(_UNSEEN).search(text, start)
    if found is None:
        return []
    return [
        Diagnostic(
            "COS0014",
            f"the invisible character U+{ord(found[0]):04X} cannot stand in a YAML file",
            SourceSpan(source, found.start(), found.end()),
            help="delete it; inside double quotes it can be written as an escape",
        )
    ]


def _tab_at(source: SourceText, offset: int) -> SourceSpan | None:
    """The tab in the indentation of the line at `offset`, if there is one."""
    start = source.line_start(source.line_of(offset))
    match = _TAB_INDENT.match(source.text, start)
    return SourceSpan(source, match.end() - 1, match.end()) if match else None


def _visible_place(source: SourceText, offset: int) -> SourceSpan:
    """The character at `offset`; at the end of the text, the last that can be seen."""
    if offset < len(source.text) and source.text[offset] not in "\r\n":
        return SourceSpan(source, offset, offset + 1)
    seen = len(source.text[:offset].rstrip())
    return SourceSpan(source, max(seen - 1, 0), seen)


def _context(source: SourceText, error: yaml.MarkedYAMLError, shift: int, offset: int) -> tuple[Related, ...]:
    if error.context_mark is None or error.context is None:
        return ()
    start = min(error.context_mark.index + shift, len(source.text))
    if start == offset or start >= len(source.text):
        return ()
    what = error.context.removeprefix("while scanning ").removeprefix("while parsing ")
    names = {
        "a flow mapping": "the mapping",
        "a flow sequence": "the list",
        "a block mapping": "the mapping",
        "a block collection": "the list",
        "a quoted scalar": "the quoted text",
        "a simple key": "the key",
        "a double-quoted scalar": "the quoted text",
    }
    begins = names.get(what)
    return (Related(f"{begins} begins here", SourceSpan(source, start, start + 1)),) if begins else ()
