"""The models that checks measure with: the catalog's own tools, each run once per picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from costa_dsl.catalog.availability import missing
from costa_dsl.catalog.catalog import Catalog
from costa_dsl.model.artifact import Box, Target, TextLine
from costa_dsl.model.reference import parse_reference
from costa_dsl.model.tool import Tool
from costa_dsl.runtime.call import ToolCall
from costa_dsl.runtime.executor import Executor
from costa_dsl.store.artifacts import digest
from costa_dsl.store.values import Image


class CatalogInstruments:
    """Measures with the cheapest available tools of a catalog. Their time is not charged to the step."""

    def __init__(self, catalog: Catalog, executor: Executor) -> None:
        self._catalog = catalog
        self._executor = executor
        self._texts: dict[str, tuple[TextLine, ...] | None] = {}
        self._boxes: dict[tuple[str, str], tuple[Box, ...] | None] = {}

    def read_text(self, image: Image) -> tuple[TextLine, ...] | None:
        """The lines of a picture; empty when it has none; None when no tool here reads."""
        key = digest("image", image)
        if key not in self._texts:
            self._texts[key] = self._read(image)
        return self._texts[key]

    def _read(self, image: Image) -> tuple[TextLine, ...] | None:
        detector = self._best("text-detection")
        reader = self._best("text-extraction")
        if detector is None or reader is None:
            return None
        regions = self._run(detector, "text-detection", image, {}, Target(), ("text-regions",))
        if not regions or not regions["text-regions"]:
            return ()
        lines = self._run(reader, "text-extraction", image, regions, Target(), ("text",))
        return lines["text"] if lines else ()

    def find(self, image: Image, expression: str) -> tuple[Box, ...] | None:
        """The boxes of an object; empty when it is not there; None when no tool here knows such objects."""
        key = (digest("image", image), expression)
        if key not in self._boxes:
            self._boxes[key] = self._find(image, expression)
        return self._boxes[key]

    def _find(self, image: Image, expression: str) -> tuple[Box, ...] | None:
        detector = self._best("object-detection", expression)
        if detector is None:
            return None
        found = self._run(detector, "object-detection", image, {}, Target(expression), ("boxes",))
        return found["boxes"] if found else ()

    def _best(self, subtask: str, expression: str | None = None) -> Tool | None:
        """The fastest available tool that looks at nothing but the picture and knows the object."""
        able = [
            (row.seconds, tool.name, tool)
            for tool in self._catalog.tools_for(subtask)
            if (row := self._catalog.row(tool.name, subtask))
            and not missing(tool)
            and (expression is None or not tool.objects or parse_reference(expression, tool.objects))
        ]
        return min(able)[2] if able else None

    def _run(
        self,
        tool: Tool,
        subtask: str,
        image: Image,
        artifacts: Mapping[str, Any],
        target: Target,
        gives: tuple[str, ...],
    ) -> Mapping[str, Any] | None:
        call = ToolCall(
            subtask=subtask,
            image=image,
            artifacts=artifacts,
            target=target,
            parameters=tool.defaults(),
            objects=tool.objects,
        )
        execution = self._executor.run(tool, call, gives).or_stop()
        return None if execution.failure is not None else execution.values
