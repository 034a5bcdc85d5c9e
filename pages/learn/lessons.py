"""Lessons: one point each, told step by step to a class."""

from irmeval.ui import lessons

lessons.page()
