"""The notebooks of the documentation: run cell by cell, their outputs stored as they
came, and as pages.

``python -m docs.notebook`` runs them and writes the outputs anew.
"""

import ast
import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plotly.graph_objects import Figure

from irmeval.plots.svg import svg

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("*.ipynb"))


def read(name: str) -> dict[str, Any]:
    """A notebook as it is stored."""
    return dict(json.loads((HERE / f"{name}.ipynb").read_text(encoding="utf-8")))


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """The same with the outputs that its cells have now, one after the other in one
    namespace, as in Jupyter.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell = {
                **cell,
                "execution_count": count,
                "outputs": [*_outputs("".join(cell["source"]), names, count)],
            }
        cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    tree, printed, value = ast.parse(source), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if text := printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": text.splitlines(True)}
    if value is not None:
        if isinstance(value, Figure):
            shown = {"text/plain": ["Figure"], "image/svg+xml": svg(value).splitlines(True)}
        else:
            shown = {"text/plain": repr(value).splitlines(True)}
            if hasattr(value, "_repr_html_"):
                shown["text/html"] = value._repr_html_().splitlines(True)
        yield {
            "data": shown,
            "execution_count": count,
            "metadata": {},
            "output_type": "execute_result",
        }


def page(name: str, pictures: Path | None = None) -> Iterator[str]:
    """A notebook as Markdown, outputs as text, figures as files of a folder if there is
    one.
    """
    for number, cell in enumerate(read(name)["cells"]):
        if cell["cell_type"] == "markdown":
            yield from ("".join(cell["source"]), "")
            continue
        yield from ("```python", "".join(cell["source"]), "```", "")
        for output in cell["outputs"]:
            if (drawn := output.get("data", {}).get("image/svg+xml")) and pictures:
                (pictures / f"{name}-{number}.svg").write_text("".join(drawn), encoding="utf-8")
                yield from (f"![what this cell draws]({pictures.name}/{name}-{number}.svg)", "")
                continue
            text = "".join(output.get("text") or output["data"]["text/plain"]).rstrip("\n")
            yield from ("```text", text, "```", "")


def write(name: str, notebook: dict[str, Any]) -> None:
    """Store it."""
    (HERE / f"{name}.ipynb").write_text(
        json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    for each in NAMES:
        write(each, run(read(each)))
