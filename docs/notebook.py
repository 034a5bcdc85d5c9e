"""The notebook of the documentation: run cell by cell, its outputs stored as they came, and as a page.

``python -m docs.notebook`` runs it and writes the outputs anew.
"""

import ast
import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("ecosystem.ipynb")


def read() -> dict[str, Any]:
    """The notebook as it is stored."""
    return dict(json.loads(PATH.read_text(encoding="utf-8")))


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """The same with the outputs that its cells have now, one after the other in one namespace, as in Jupyter."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell = {**cell, "execution_count": count, "outputs": [*_outputs("".join(cell["source"]), names, count)]}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    tree, printed, value = ast.parse(source), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, str(PATH), "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(PATH), "eval"), names)
    if text := printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": text.splitlines(True)}
    if value is not None:
        shown = {"text/plain": repr(value).splitlines(True)}
        if hasattr(value, "_repr_html_"):
            shown["text/html"] = value._repr_html_().splitlines(True)
        yield {"data": shown, "execution_count": count, "metadata": {}, "output_type": "execute_result"}


def page() -> Iterator[str]:
    """The notebook as Markdown, outputs as text."""
    for cell in read()["cells"]:
        if cell["cell_type"] == "markdown":
            yield from ("".join(cell["source"]), "")
            continue
        yield from ("```python", "".join(cell["source"]), "```", "")
        for output in cell["outputs"]:
            text = "".join(output.get("text") or output["data"]["text/plain"]).rstrip("\n")
            yield from ("```text", text, "```", "")


def new(*cells: tuple[str, str]) -> dict[str, Any]:
    """A notebook of cells: ``markdown`` or ``code``, and the source."""
    made: list[dict[str, Any]] = []
    for i, (kind, source) in enumerate(cells):
        more = {"execution_count": None, "outputs": []} if kind == "code" else {}
        made.append({"cell_type": kind, "id": f"cell-{i}", "metadata": {}, "source": source.splitlines(True), **more})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": made, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}


def write(notebook: dict[str, Any]) -> None:
    """Store it."""
    PATH.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(run(read()))
