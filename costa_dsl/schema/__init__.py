"""The packaged JSON Schemas, and what they find, said at the right place in the right words."""

from costa_dsl.schema.check import check_document, kind_meant
from costa_dsl.schema.kinds import API_VERSION, KINDS
from costa_dsl.schema.salvage import Unknown, salvage
from costa_dsl.schema.values import schema_fault, value_problems

__all__ = [
    "API_VERSION",
    "KINDS",
    "Unknown",
    "check_document",
    "kind_meant",
    "salvage",
    "schema_fault",
    "value_problems",
]
