"""What was found, where it stands, and the way out: the words every other room reports in."""

from costa_dsl.diagnostics.diagnostic import CostaError, Diagnostic, Related, Severity, Sink
from costa_dsl.diagnostics.fix import Edit, Fix, apply_fixes, replace_with
from costa_dsl.diagnostics.source import SourceSpan, SourceText
from costa_dsl.diagnostics.suggest import closest

__all__ = [
    "CostaError",
    "Diagnostic",
    "Edit",
    "Fix",
    "Related",
    "Severity",
    "Sink",
    "SourceSpan",
    "SourceText",
    "apply_fixes",
    "closest",
    "replace_with",
]
