"""Draws a toolpath graph: for Graphviz, for Mermaid, as a self-contained SVG, and as plain text for a terminal."""

from costa_dsl.compiler.drawing.ascii import to_ascii
from costa_dsl.compiler.drawing.dot import to_dot
from costa_dsl.compiler.drawing.mermaid import to_mermaid
from costa_dsl.compiler.drawing.svg import to_svg

__all__ = ["to_ascii", "to_dot", "to_mermaid", "to_svg"]
