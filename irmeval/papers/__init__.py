"""The source papers, made again on any collection; a new one is a file imported here."""

from irmeval.papers import ahlgren_gronqvist_2008, bompada_2007, sakai_2007_bpref, sakai_2007_reliability, sakai_kando_2008
from irmeval.papers.base import PAPERS, Exhibit, Paper, charts_of, measures_of, remake, tables_of

__all__ = [
    "PAPERS",
    "Exhibit",
    "Paper",
    "ahlgren_gronqvist_2008",
    "bompada_2007",
    "charts_of",
    "measures_of",
    "remake",
    "sakai_2007_bpref",
    "sakai_2007_reliability",
    "sakai_kando_2008",
    "tables_of",
]
