"""Every code that costa reports, with its page for `costa explain`.

Ranges: 0 syntax, 1 schema, 2 catalog, 3 plan, 4 lowering, 5 graph, 6 run time, 7 planner, 8 environment,
9 plug-ins. A page's bad example gives its code, and its good example gives no finding: the tests run both.
"""

from __future__ import annotations

from costa_dsl.diagnostics.pages import merged
from costa_dsl.diagnostics.pages.catalog import PAGES as CATALOG
from costa_dsl.diagnostics.pages.code import Code
from costa_dsl.diagnostics.pages.general import PAGES as GENERAL
from costa_dsl.diagnostics.pages.pictures import PAGES as PICTURES
from costa_dsl.diagnostics.pages.plan import PAGES as PLAN
from costa_dsl.diagnostics.pages.run import PAGES as RUN
from costa_dsl.diagnostics.pages.schema import PAGES as SCHEMA
from costa_dsl.diagnostics.pages.syntax import PAGES as SYNTAX

__all__ = ["CODES", "Code"]

CODES: dict[str, Code] = merged(SYNTAX, SCHEMA, CATALOG, PLAN, RUN, PICTURES, GENERAL)
