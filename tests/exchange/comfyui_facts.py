"""ComfyUI's own nodes: what each takes (name → kind of value) and gives, as its sources say.

Looked up in comfyanonymous/ComfyUI (nodes.py, comfy_extras/nodes_images.py, nodes_mask.py, nodes_post_processing.py,
nodes_upscale_model.py). A kind in capitals is a link; `choice` stands for one of a fixed list.
"""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

NODES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "LoadImage": ({"image": "text"}, ["IMAGE", "MASK"]),
    "SaveImage": ({"images": "IMAGE", "filename_prefix": "text"}, []),
    "LoadImageMask": ({"image": "text", "channel": ["alpha", "red", "green", "blue"]}, ["MASK"]),
    "ImageScaleBy": (
        {
            "image": "IMAGE",
            "upscale_method": ["nearest-exact", "bilinear", "area", "bicubic", "lanczos"],
            "scale_by": (0.01, 8.0),
        },
        ["IMAGE"],
    ),
    "UpscaleModelLoader": ({"model_name": "text"}, ["UPSCALE_MODEL"]),
    "ImageUpscaleWithModel": ({"upscale_model": "UPSCALE_MODEL", "image": "IMAGE"}, ["IMAGE"]),
    "ImageFlip": ({"image": "IMAGE", "flip_method": ["x-axis: vertically", "y-axis: horizontally"]}, ["IMAGE"]),
    "ImageSharpen": (
        {"image": "IMAGE", "sharpen_radius": (1, 31), "sigma": (0.1, 10.0), "alpha": (0.0, 5.0)},
        ["IMAGE"],
    ),
    "ImageColorToMask": ({"image": "IMAGE", "color": (0, 0xFFFFFF)}, ["MASK"]),
    "InvertMask": ({"mask": "MASK"}, ["MASK"]),
    "ImageInvert": ({"image": "IMAGE"}, ["IMAGE"]),
}

FORM = {
    "type": "object",
    "minProperties": 2,
    "propertyNames": {"pattern": "^[1-9][0-9]*$"},
    "additionalProperties": {
        "type": "object",
        "required": ["class_type", "inputs", "_meta"],
        "additionalProperties": False,
        "properties": {
            "class_type": {"type": "string", "minLength": 1},
            "inputs": {
                "type": "object",
                "additionalProperties": {
                    "type": ["string", "number", "boolean", "array"],
                    "if": {"type": "array"},
                    "then": {
                        "prefixItems": [{"type": "string"}, {"type": "integer", "minimum": 0}],
                        "items": False,
                        "minItems": 2,
                    },
                },
            },
            "_meta": {
                "type": "object",
                "required": ["title"],
                "additionalProperties": False,
                "properties": {"title": {"type": "string"}},
            },
        },
    },
}


def assert_sound(workflow: dict[str, Any]) -> None:
    """A workflow has the form of the API, names real nodes and inputs, and links only to what comes before."""
    Draft202012Validator(FORM).validate(workflow)
    assert list(workflow) == [str(number) for number in range(1, len(workflow) + 1)]
    gives: dict[str, list[str]] = {}
    for name, node in workflow.items():
        takes, outputs = NODES[node["class_type"]]
        assert set(node["inputs"]) == set(takes), node
        for key, value in node["inputs"].items():
            assert_fits(value, takes[key], gives)
        gives[name] = outputs


def assert_fits(value: Any, wanted: Any, gives: dict[str, list[str]]) -> None:
    if isinstance(wanted, list):
        assert value in wanted
    elif isinstance(wanted, tuple):
        assert not isinstance(value, bool | str | list)
        assert wanted[0] <= value <= wanted[1]
    elif wanted == "text":
        assert isinstance(value, str)
    else:
        name, slot = value
        assert name in gives, "a link to a later node"
        assert gives[name][slot] == wanted
