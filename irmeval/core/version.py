"""The version of irmeval."""

__version__ = "0.3.0"
