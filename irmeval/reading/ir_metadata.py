"""Headers of run files with the provenance of the run: ir_metadata, YAML in comment
lines (Breuer, Keller & Schaer 2022, v0.1).

PyYAML reads it. Anchors, aliases, tags and directives are refused, so that a header is
never larger than its text and makes no objects. Every value stays a text.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, TypeAlias

from irmeval.core.errors import ReadError
from irmeval.core.lazy import yaml
from irmeval.core.text import count_noun, shorten

Value: TypeAlias = "str | list[Value] | dict[str, Value]"
START = "ir_metadata.start"
"""First comment of a header."""
END = "ir_metadata.end"
"""Last comment of a header."""
SECTIONS = ("platform", "research goal", "implementation", "method", "actor", "data")
"""PRIMAD components in this order. Each is a section of a header."""
LARGEST = 64 << 10
"""Maximum bytes of a header. Later bytes are not read."""
DEEPEST = 20
"""Maximum nesting depth of a header."""
MAX_LISTED_HEADERS = 5
"""Maximum number of invalid headers that are listed one by one."""
REMEDY = "Write it as on ir-metadata.org, or remove it."
BOM = b"\xef\xbb\xbf"


def header_of(data: bytes) -> str:
    """Comment lines at the beginning of a run file, down to the end of its header;
    empty if no header begins there. At most `LARGEST` bytes are read.
    """
    begin = data[:LARGEST].removeprefix(BOM)
    if not begin.lstrip().startswith(b"#"):
        return ""
    lines = [row.rstrip(b"\r").decode("utf-8", "replace") for row in _whole_lines(begin)]
    comments = [*takewhile(_is_comment, lines)]
    marks = [*map(_uncomment, comments)]
    if START not in marks:
        return ""
    begun = marks.index(START)
    if END in marks[begun:]:
        comments = comments[: marks.index(END, begun) + 1]
    return "\n".join([*comments, ""])


def _whole_lines(text: bytes) -> list[bytes]:
    """Lines of a text but the last one, if it is cut."""
    return text[: text.rfind(b"\n") + 1].split(b"\n")[:-1]


def _is_comment(line: str) -> bool:
    """Whether a line is a comment, or empty."""
    return line.strip()[:1] in ("", "#")


def _uncomment(line: str) -> str:
    """A comment line without its number sign."""
    return line.strip().lstrip("# \t")


def read_header(name: str, header: str) -> dict[str, Value]:
    """Content of a header as nested dictionaries and lists of texts; empty for an empty
    header.

    Raises `ReadError`, with `name` as the file and the number of the line, for a header
    that is not closed, is too large or too deep, or is not the part of YAML that is
    understood.

    Examples
    --------
    >>> read_header(
    ...     "bm25.txt",
    ...     "# ir_metadata.start\\n# actor:\\n#   team: ours\\n"
    ...     "#   fields: [ir, nlp]\\n# ir_metadata.end\\n",
    ... )
    {'actor': {'team': 'ours', 'fields': ['ir', 'nlp']}}
    """
    if not header:
        return {}
    rows = header.split("\n")
    marks = [*map(_uncomment, rows)]
    first = marks.index(START)
    if END not in marks[first:]:
        expected = f"a header that ends with the line # {END}"
        came = "none before the documents begin"
        # `header_of` has read no further
        if len(header) > LARGEST // 2:
            came = f"{LARGEST >> 10} KiB of comments without it"
        raise ReadError(name, first + 1, expected, came, REMEDY)
    numbered = [*enumerate(rows, 1)][first + 1 : marks.index(END, first)]
    for number, row in numbered:
        if "\ufffd" in row:
            raise ReadError(name, number, "text in UTF-8", shorten(row), REMEDY)
    lines = [row.strip().removeprefix("#") for _, row in numbered]
    found = _Header(name, first + 2, lines).read()
    if isinstance(found, dict):
        return found
    expected = "a mapping with sections such as platform: or method:"
    raise ReadError(name, first + 2, expected, shorten(str(found)), REMEDY)


class _Header:
    """Builder of the value of a header from PyYAML events. `first` is the number of its
    first line in the file.
    """

    def __init__(self, name: str, first: int, lines: list[str]):
        self.name, self.first, self.lines = name, first, lines
        # PyYAML may have been built without libyaml
        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        self.events = yaml.parse("\n".join(lines), Loader=loader)

    def read(self) -> Value:
        """Value of the only document; empty without one."""
        try:
            events = [next(self.events), next(self.events)]
            if isinstance(events[-1], yaml.StreamEndEvent):
                return {}
            if events[-1].version or events[-1].tags:
                raise self.refuse(events[-1], "a directive")
            found = self.value(next(self.events), 1)
            next(self.events)
            if not isinstance(rest := next(self.events), yaml.StreamEndEvent):
                raise self.refuse(rest, "a second document")
        except yaml.MarkedYAMLError as error:
            raise self.malformed(error.problem_mark.line, error.problem) from None
        except yaml.reader.ReaderError as error:
            at = "\n".join(self.lines).count("\n", 0, error.position)
            raise self.malformed(at, "a character that YAML does not allow") from None
        return found

    def value(self, event: Any, deep: int) -> Value:
        """Text, list or section that begins with an event, and the events up to its
        end.
        """
        self.check_plain(event)
        if isinstance(event, yaml.ScalarEvent):
            return _text_of(event)
        if deep > DEEPEST:
            raise self.refuse(event, "more", f"at most {DEEPEST} levels")
        if isinstance(event, yaml.SequenceStartEvent):
            return [self.value(one, deep + 1) for one in self.until(yaml.SequenceEndEvent)]
        return self.section(deep)

    def check_plain(self, event: Any) -> None:
        """Refuse what refers to another place, and what makes an object."""
        if isinstance(event, yaml.AliasEvent):
            raise self.refuse(event, f"an alias: {shorten('*' + event.anchor)}")
        if event.anchor:
            raise self.refuse(event, f"an anchor: {shorten('&' + event.anchor)}")
        if event.tag:
            raise self.refuse(event, f"a tag: {shorten(event.tag)}")

    def until(self, end: type) -> Iterator[Any]:
        """The events before the next one of a kind, which is taken, too."""
        return takewhile(lambda event: not isinstance(event, end), self.events)

    def section(self, deep: int) -> dict[str, Value]:
        """The events of a mapping, whose first one is taken already."""
        found: dict[str, Value] = {}
        for event in self.until(yaml.MappingEndEvent):
            key = self.value(event, deep)
            if not isinstance(key, str):
                raise self.refuse(event, "a list or a section", "a text as key")
            if key in found:
                raise self.refuse(event, f"{shorten(key)} again", "each key once")
            found[key] = self.value(next(self.events), deep + 1)
        return found

    def refuse(
        self, event: Any, came: str, expected: str = "a plain or quoted text, a list or a section"
    ) -> ReadError:
        return ReadError(self.name, self.first + event.start_mark.line, expected, came, REMEDY)

    def malformed(self, at: int, problem: str) -> ReadError:
        at = min(at, len(self.lines) - 1)
        came = f"{shorten(self.lines[at].strip())} ({problem})"
        return ReadError(self.name, self.first + at, "valid YAML", came, REMEDY)


def _text_of(event: Any) -> str:
    # a block of lines ends with one that its writer has not meant
    if event.style in ("|", ">"):
        return event.value.strip("\n")
    return str(event.value)


def read_headers(
    runs: Sequence[str], headers: Sequence[str]
) -> dict[str, dict[str, Value] | ReadError]:
    """Content of the header of each run that has one. An unreadable header is replaced
    by its error.
    """
    found: dict[str, dict[str, Value] | ReadError] = {}
    for run, header in zip(runs, headers, strict=False):
        try:
            if header:
                found[run] = read_header(run, header)
        except ReadError as error:
            found[run] = error
    return found


def describe_unreadable(runs: Sequence[str], headers: Sequence[str]) -> list[str]:
    """A sentence for each unreadable header: file, line, expectation, finding and
    remedy.
    """
    found = read_headers(runs, headers).values()
    errors = [error for error in found if isinstance(error, ReadError)]
    listed = errors[:MAX_LISTED_HEADERS]
    left = len(errors) - len(listed)
    said = [f"A header cannot be read; scores do not depend on it. {error}" for error in listed]
    if left > 0:
        said.append(f"{count_noun(left, 'more header')} cannot be read.")
    return said


def reproduced_tags(found: Mapping[str, Value]) -> list[str]:
    """Tags of the runs that a run reproduces: the baselines in its header, if the
    header's actor is a reproducer.

    Examples
    --------
    >>> goal = {"evaluation": {"baseline": ["bm25"]}}
    >>> reproduced_tags({"actor": {"role": "reproducer"}, "research goal": goal})
    ['bm25']
    """
    is_reproducer = _at(found, "actor", "role") == "reproducer"
    if not is_reproducer:
        return []
    named = _at(found, "research goal", "evaluation", "baseline")
    if isinstance(named, str):
        named = [named]
    if not isinstance(named, list):
        return []
    texts = [tag for tag in named if isinstance(tag, str)]
    return [*filter(None, texts)]


def _at(found: Mapping[str, Value], *path: str) -> Value:
    """Value under a path of keys; empty if there is none."""
    here: Any = found
    for key in path:
        if not isinstance(here, Mapping):
            return ""
        here = here.get(key, "")
    return here


def header_entries(found: Mapping[str, Value]) -> Iterator[tuple[str, str, str]]:
    """Content of a header as rows: section, path of keys within it, and text. The texts
    of a list share a row.

    Examples
    --------
    >>> actor, method = {"fields": ["ir", "nlp"]}, {"retrieval": [{"name": "bm25"}]}
    >>> list(header_entries({"tag": "bm25", "actor": actor, "method": method}))
    [('tag', '', 'bm25'), ('actor', 'fields', 'ir, nlp'), ('method', 'retrieval 1, name', 'bm25')]
    """
    for section, value in found.items():
        for path, text in _paths(value, ()):
            yield section, ", ".join(path), text


def _paths(value: Value, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, str):
        yield above, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _paths(part, (*above, key))
    else:
        yield from _paths_of_list(value, above)


def _paths_of_list(
    parts: list[Any], above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Texts of a list in one row, then its other parts by number."""
    texts = [part for part in parts if isinstance(part, str)]
    if texts:
        yield above, ", ".join(texts)
    # without keys above, there is the number alone
    *outer, name = above or ("",)
    for number, part in enumerate(parts, 1):
        if isinstance(part, str):
            continue
        numbered = f"{name} {number}".strip()
        yield from _paths(part, (*outer, numbered))
