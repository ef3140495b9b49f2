"""Pages of codes about costa itself."""

from __future__ import annotations

from costa_dsl.diagnostics.pages.code import Code

PAGES = {
    "COS6900": Code(
        "Internal error",
        "Something happened in costa that its authors did not foresee. Your files are not at fault, though a "
        "change in them may avoid it.\n\nPlease report it with the traceback, whose file the message names; "
        "COSTA_DEBUG=1 prints it to the terminal instead.",
    ),
}
