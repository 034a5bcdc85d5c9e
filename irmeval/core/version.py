"""The version of irmeval."""

__version__ = "0.2.0"
