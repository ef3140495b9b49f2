"""The version of run records, apart from what makes them, so that reading one loads nothing heavy."""

RECORD_VERSION = 2
