"""costa: a declarative pipeline compiler for image editing."""

__version__ = "0.1.0"
