"""Everything a tool's code needs from costa, in one import."""

from costa_dsl.model.artifact import Box, Placement, Target, TextLine, TextStyle
from costa_dsl.runtime.call import ModelCache, ToolCall, ToolFailure, ToolFunction
from costa_dsl.store.values import Float, Image, Mask, join_alpha, split_alpha

__all__ = [
    "Box", "Float", "Image", "Mask", "ModelCache", "Placement", "Target", "TextLine", "TextStyle",
    "ToolCall", "ToolFailure", "ToolFunction", "join_alpha", "split_alpha",
]  # fmt: skip
