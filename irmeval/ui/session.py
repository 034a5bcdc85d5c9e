"""What a visitor has loaded: the sample, the server's own files, or uploads that live in the session alone."""

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from irmeval import Collection, ReadError
from irmeval.collection import DEPTH, Index, Lists, assemble, name_runs
from irmeval.parallel import each
from irmeval.report.words import counted
from irmeval.trec import MAX_BYTES, Qrels, Run, read, shorten, stem, unpack
from irmeval.ui import cached

SAMPLE = Path(__file__).parents[2] / "sample_data"
MAX_FILES = 2000
SESSION_BYTES = 8 << 30
"""Text that one visitor may upload, unpacked; of a run about half stays in memory."""


@dataclass(frozen=True)
class Loaded:
    """A collection and where it comes from."""

    collection: Collection
    name: str
    synthetic: bool = False


@dataclass
class Desk:
    """The files a visitor has dropped, and the collection they make."""

    qrels: Qrels | None = None
    qrels_name: str = ""
    index: Index | None = None
    runs: dict[str, Run] = field(default_factory=dict)
    lists: dict[str, Lists] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    bytes: int = 0
    collection: Collection | None = None
    uploader: int = 0
    """Counts the uploads: a new number is a new, empty uploader, and Streamlit lets go of the bytes."""

    def add(self, files: list[tuple[str, bytes]]) -> None:
        """Read what was dropped, keep what is sound, note what is refused and why."""
        self.uploader += 1
        self.refused = []
        texts = []
        for name, data in files:
            try:
                for inner, text in unpack(name, data, min(MAX_BYTES, SESSION_BYTES - self.bytes)):
                    self.bytes += len(text)
                    texts.append((inner, text))
            except ReadError as error:
                self.refused.append(str(error))
        if len(texts) + len(self.runs) > MAX_FILES:
            self.refused.append(f"{len(texts)} files: expected at most {MAX_FILES} in a session. Leave some out.")
            return
        for (name, _), found in zip(texts, each(lambda item: _attempt(*item), texts), strict=True):
            if isinstance(found, ReadError):
                self.refused.append(str(found))
            elif isinstance(found, Run):
                self.runs[stem(name)] = found
                self.lists.pop(stem(name), None)
            else:
                self._take_qrels(found, name)
        self._join()

    def waiting(self) -> str:
        """What is still missing before there is a collection."""
        if self.qrels is None and self.runs:
            return f"Read so far: {counted(len(self.runs), 'run')}. Drop the qrels file they belong to, and they will be scored."
        if self.qrels is not None and not self.runs:
            return f"Read so far: the judgments of {counted(len(self.qrels.topics), 'topic')}. Drop one or more run files to score."
        return ""

    def _take_qrels(self, found: Qrels, name: str) -> None:
        if self.qrels is not None:
            self.refused.append(f"{self.qrels_name}: no longer in use, {name} took its place.")
        self.qrels, self.qrels_name, self.index, self.lists = found, stem(name), Index(found), {}

    def _join(self) -> None:
        if self.qrels is None or self.index is None:
            return
        for name in [n for n in self.runs if n not in self.lists]:
            try:
                self.lists[name] = self.index.join(self.runs[name], DEPTH, "trec_eval")
            except ReadError as error:
                self.refused.append(str(error))
                del self.runs[name]
        if self.lists:
            names = name_runs([(name, self.runs[name].tags) for name in self.lists])
            self.collection = assemble(self.qrels, names, list(self.lists.values()), depth=DEPTH, order="trec_eval")


def _attempt(name: str, text: bytes) -> Qrels | Run | ReadError:
    try:
        return read(name, text)
    except ReadError as error:
        return error


def desk() -> Desk:
    """This visitor's uploads."""
    if "desk" not in st.session_state:
        st.session_state["desk"] = Desk()
    found: Desk = st.session_state["desk"]
    return found


def clear() -> None:
    """Forget this visitor's uploads."""
    st.session_state.pop("desk", None)


def loaded() -> Loaded:
    """The collection that every page works on."""
    mine = desk().collection
    if mine is not None:
        return Loaded(mine, f"Your upload: {desk().qrels_name}")
    given = _arguments()
    if given.qrels:
        return Loaded(cached.collection(given.qrels, tuple(given.runs)), f"{given.qrels.name} on this server")
    return Loaded(cached.collection(SAMPLE / "qrels.txt.gz", (SAMPLE / "runs",)), "Sample collection", synthetic=True)


def check_arguments() -> None:
    """Stop with one line where the server was started on files that cannot be read."""
    try:
        loaded()
    except ReadError as error:
        st.error(f"The files that this server was started on cannot be used. {shorten(str(error))}")
        st.stop()


def _arguments() -> argparse.Namespace:
    """``streamlit run app.py -- --qrels Q --runs FOLDER ...``: only who starts the server can name paths."""
    parser = argparse.ArgumentParser(prog="streamlit run app.py --")
    parser.add_argument("--qrels", type=Path)
    parser.add_argument("--runs", type=Path, nargs="+", default=[])
    given, _ = parser.parse_known_args(sys.argv[1:])
    if bool(given.qrels) != bool(given.runs):
        raise ReadError("streamlit run app.py --", None, "both --qrels FILE and --runs FOLDER", "one of them")
    return given


def welcome(loaded: Loaded) -> None:
    """One sentence for whoever comes first: that the data is synthetic, and how to bring their own."""
    if loaded.synthetic:
        st.info(
            "This is a **synthetic** sample collection, made to try things on. "
            "Drop your own qrels and runs on the page *Collection*; nothing leaves this machine."
        )
