"""The header of a run file that says how the run was made: ir_metadata, YAML in comment lines (Breuer, Keller & Schaer 2022, v0.1).

Only what the schema needs of YAML is understood: block and flow mappings and sequences, plain and quoted texts, block texts. Anchors,
aliases, tags and directives are refused, so that a header is never larger than its text and makes no objects. Every value stays a text.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from irmeval.core.errors import ReadError
from irmeval.core.text import counted, shorten

Value: TypeAlias = "str | list[Value] | dict[str, Value]"
START, END = "ir_metadata.start", "ir_metadata.end"
SECTIONS = ("platform", "research goal", "implementation", "method", "actor", "data")
"""The components of PRIMAD in this order. Each is a section of a header."""
LARGEST = 64 << 10
"""Bytes of the longest header. Later bytes are not read."""
DEEPEST = 20
"""The most levels of a header."""
MOST = 5
"""The most headers at fault that are named one by one."""
REMEDY = "Write it as on ir-metadata.org, or remove it."
BOM = b"\xef\xbb\xbf"
_ODD = {"&": "an anchor", "*": "an alias", "!": "a tag", "%": "a directive", "@": "@", "`": "`", "?": "a question mark", "|": "|", ">": ">"}
_BLOCK = re.compile(r"[|>][+-]?")
_QUOTED = re.compile(r"'(?:[^']|'')*+'|" r'"(?:[^"\\]|\\.)*+"')
_IN_BRACKETS = re.compile(r"[^,\[\]{}]*+")


class Line(NamedTuple):
    """A line of a header: its number in the file, its indent, and the rest."""

    number: int
    indent: int
    text: str


def header_of(data: bytes) -> str:
    """The comment lines at the beginning of a run file, down to the end of its header; empty if no header begins there. At most `LARGEST`
    bytes are read."""
    begin = data[:LARGEST].removeprefix(BOM)
    if not begin.lstrip().startswith(b"#"):
        return ""
    kept, started = [], False
    for row in begin[: begin.rfind(b"\n") + 1].split(b"\n")[:-1]:
        line = row.rstrip(b"\r").decode("utf-8", "replace")
        if line.strip() and not line.strip().startswith("#"):
            break
        kept.append(line)
        started = started or _uncomment(line) == START
        if started and _uncomment(line) == END:
            break
    return "".join(f"{line}\n" for line in kept) if started else ""


def _uncomment(line: str) -> str:
    """A comment line without its number sign."""
    return line.strip().lstrip("# \t")


def read_header(name: str, header: str) -> dict[str, Value]:
    """The content of a header as nested dictionaries and lists of texts; empty for an empty header.

    Raises `ReadError`, with `name` as the file and the number of the line, for a header that is not closed, is too large or too deep, or is
    not the part of YAML that is understood.

    Examples
    --------
    >>> read_header("bm25.txt", "# ir_metadata.start\\n# actor:\\n#   team: ours\\n#   fields: [ir, nlp]\\n# ir_metadata.end\\n")
    {'actor': {'team': 'ours', 'fields': ['ir', 'nlp']}}
    """
    if not header:
        return {}
    rows = header.split("\n")
    first = next(at for at, row in enumerate(rows) if _uncomment(row) == START)
    last = next((at for at, row in enumerate(rows) if at > first and _uncomment(row) == END), 0)
    if not last:
        came = f"{LARGEST >> 10} KiB of comments without it" if len(header) > LARGEST // 2 else "none before the documents begin"
        raise ReadError(name, first + 1, f"a header that ends with the line # {END}", came, REMEDY)
    lines = []
    for number, row in enumerate(rows[first + 1 : last], first + 2):
        if "\ufffd" in row:
            raise ReadError(name, number, "text in UTF-8", shorten(row), REMEDY)
        body = row.strip().removeprefix("#")
        lines.append(Line(number, len(body) - len(body.lstrip(" ")), body.lstrip(" ")))
    found = _Reader(name, lines).whole()
    if not isinstance(found, dict):
        raise ReadError(name, first + 2, "a mapping with sections such as platform: or method:", shorten(str(found)), REMEDY)
    return found


class _Reader:
    """Reads the lines of a header from first to last, each once."""

    def __init__(self, name: str, lines: list[Line]):
        self.name, self.lines, self.at = name, lines, 0

    def refuse(self, line: Line, expected: str, came: str) -> ReadError:
        return ReadError(self.name, line.number, expected, came, REMEDY)

    def next(self) -> Line | None:
        """The next line that is neither empty nor a comment of YAML."""
        while self.at < len(self.lines) and (not self.lines[self.at].text or self.lines[self.at].text.startswith("#")):
            self.at += 1
        if self.at == len(self.lines):
            return None
        if self.lines[self.at].text.startswith("\t"):
            raise self.refuse(self.lines[self.at], "blanks at the beginning of a line", "a tab")
        return self.lines[self.at]

    def whole(self) -> Value:
        line = self.next()
        if line is None:
            return {}
        found = self.node(line.indent, 1)
        if rest := self.next():
            raise self.refuse(rest, "lines of a section under each other, none further left than the first", shorten(rest.text))
        return found

    def node(self, indent: int, deep: int) -> Value:
        """The list or section that begins on the next line, which has this indent."""
        line = self.next()
        assert line is not None
        if deep > DEEPEST:
            raise self.refuse(line, f"at most {DEEPEST} levels", "more")
        return self.sequence(indent, deep) if _is_item(line.text) else self.mapping(indent, deep)

    def sequence(self, indent: int, deep: int) -> list[Value]:
        found: list[Value] = []
        while (line := self.next()) and line.indent == indent and _is_item(line.text):
            rest = line.text[1:].lstrip(" ")
            inner = indent + len(line.text) - len(rest)
            if rest and (_is_item(rest) or _key_of(rest) is not None):
                self.lines[self.at] = Line(line.number, inner, rest)
                found.append(self.node(inner, deep + 1))
            else:
                self.at += 1
                found.append(self.value(line, rest, indent, deep))
        self.check_end(indent + 1)  # a key at the same indent goes on with the section that this is in
        return found

    def mapping(self, indent: int, deep: int) -> dict[str, Value]:
        found: dict[str, Value] = {}
        while (line := self.next()) and line.indent == indent and not _is_item(line.text):
            split = _key_of(line.text)
            if split is None:
                raise self.refuse(line, "a key with a colon after it, as in team: ours", shorten(line.text))
            key, rest = split
            if key in found:
                raise self.refuse(line, "each key once", f"{shorten(key)} again")
            self.at += 1
            found[key] = self.value(line, rest, indent, deep)
        self.check_end(indent)
        return found

    def check_end(self, indent: int) -> None:
        """A section ends before a line that is further left, or with the header."""
        if (line := self.next()) and line.indent >= indent:
            raise self.refuse(line, "a line of the section above, or one further left", shorten(line.text))

    def value(self, line: Line, rest: str, indent: int, deep: int) -> Value:
        """The value after a key or a dash at this indent, whose text begins with `rest`. The reader stands on the line below."""
        rest = "" if rest.startswith("#") else rest
        if _BLOCK.fullmatch(rest.split(" #")[0].rstrip()):
            return self.block(indent, rest[0] == ">")
        if not rest:
            below = self.next()
            nested = below and (below.indent > indent or (below.indent == indent and _is_item(below.text) and not _is_item(line.text)))
            return self.node(below.indent, deep + 1) if below and nested else ""
        if rest[0] in "[{\"'":
            flow = _Flow(self, line, " ".join([rest, *(after.text for after in self.below(indent))]))
            return flow.whole(deep)
        if rest[0] in _ODD:
            raise self.refuse(line, "a plain or quoted text, a list or a section", f"{_ODD[rest[0]]}: {shorten(rest)}")
        texts = []
        for part in [line._replace(text=rest), *self.below(indent)]:
            texts.append(_uncommented(part.text))
            if ": " in texts[-1] or texts[-1].endswith(":"):
                raise self.refuse(part, "quotes around a text with a colon in it", shorten(part.text))
        return " ".join(texts)

    def below(self, indent: int) -> Iterator[Line]:
        """The lines that continue the text of a line at this indent."""
        while (line := self.next()) and line.indent > indent:
            self.at += 1
            yield line

    def block(self, indent: int, folded: bool) -> str:
        """The lines of a block text, which may be empty or begin with #."""
        taken = []
        while self.at < len(self.lines) and (not self.lines[self.at].text or self.lines[self.at].indent > indent):
            taken.append(self.lines[self.at])
            self.at += 1
        least = min((line.indent for line in taken if line.text), default=0)
        texts = [" " * (line.indent - least) + line.text if line.text else "" for line in taken]
        text = "\n".join(texts).strip("\n")
        return "\n".join(part.replace("\n", " ") for part in text.split("\n\n")) if folded else text


class _Flow:
    """Reads a text in brackets or quotes from start to end, each letter once."""

    def __init__(self, reader: _Reader, line: Line, text: str):
        self.reader, self.line, self.text, self.at = reader, line, text, 0

    def refuse(self, expected: str) -> ReadError:
        return self.reader.refuse(self.line, expected, shorten(self.text[self.at :] or "its end"))

    def whole(self, deep: int) -> Value:
        found = self.value(deep)
        if _uncommented(f" {self.text[self.at :]}").strip():
            raise self.refuse("nothing after the closing bracket or quote")
        return found

    def value(self, deep: int) -> Value:
        """The list, mapping or text that begins here."""
        if deep > DEEPEST:
            raise self.reader.refuse(self.line, f"at most {DEEPEST} levels", "more")
        self.skip()
        begin = self.text[self.at : self.at + 1]
        if begin == "[":
            return [value for _, value in self.items("]", deep)]
        if begin == "{":
            found: dict[str, Value] = {}
            for key, value in self.items("}", deep):
                if key in found:
                    raise self.reader.refuse(self.line, "each key once", f"{shorten(key)} again")
                found[key] = value
            return found
        return self.word()

    def items(self, end: str, deep: int) -> Iterator[tuple[str, Value]]:
        """The values in brackets, each with its key; the key is empty in square brackets."""
        self.at += 1
        while True:
            self.skip()
            if self.text.startswith(end, self.at):
                break
            key = self.word(":") if end == "}" else ""
            if end == "}":
                self.take(":")
            yield key, self.value(deep + 1)
            self.skip()
            if not self.text.startswith(end, self.at):
                self.take(",")
        self.at += 1

    def word(self, end: str = "") -> str:
        """A quoted text, or a plain one up to a comma, a bracket, or `end` with a blank after it."""
        self.skip()
        begin = self.text[self.at : self.at + 1]
        if begin in ("'", '"'):
            if not (found := _QUOTED.match(self.text, self.at)):
                raise self.refuse(f"a closing {begin}")
            self.at = found.end()
            if (text := _unescaped(found[0])) is None:
                raise self.reader.refuse(self.line, 'escapes such as \\" and \\n in double quotes', shorten(found[0]))
            return text
        if begin in _ODD:
            raise self.refuse("a plain or quoted text, a list or a section")
        plain = _IN_BRACKETS.match(self.text, self.at)
        text = plain[0] if plain else ""
        text = text.split(f"{end} ")[0] if end else text
        text = text.removesuffix(end) if end else text
        self.at += len(text)
        return text.strip()

    def skip(self) -> None:
        while self.text.startswith(" ", self.at):
            self.at += 1

    def take(self, mark: str) -> None:
        self.skip()
        if not self.text.startswith(mark, self.at):
            raise self.refuse(f"{mark} or a closing bracket")
        self.at += 1


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _unescaped(quoted: str) -> str | None:
    """A quoted text without its quotes; None if it holds an invalid escape."""
    if quoted[0] == "'":
        return quoted[1:-1].replace("''", "'")
    try:
        return str(json.loads(quoted, strict=False))
    except ValueError:
        return None


def _uncommented(text: str) -> str:
    return text.split(" #", 1)[0].rstrip()


def _key_of(text: str) -> tuple[str, str] | None:
    """The key of a line and the text after its colon; None if the line has no key."""
    if text[:1] in ("'", '"'):
        quoted = _QUOTED.match(text)
        rest = text[quoted.end() :].lstrip(" ") if quoted else ""
        name = _unescaped(quoted[0]) if quoted and (rest == ":" or rest.startswith(": ")) else None
        return None if name is None else (name, rest[1:].strip(" "))
    if text[:1] in ("[", "{", "#") or text[:1] in _ODD:
        return None
    key, colon, rest = text.partition(": ")
    if colon:
        return key.rstrip(" "), rest.strip(" ")
    return (text[:-1].rstrip(" "), "") if text.endswith(":") else None


def read_headers(runs: Sequence[str], headers: Sequence[str]) -> dict[str, dict[str, Value] | ReadError]:
    """The content of the header of each run that has one. A header that cannot be read is replaced by its error."""
    found: dict[str, dict[str, Value] | ReadError] = {}
    for run, header in zip(runs, headers, strict=False):
        try:
            if header:
                found[run] = read_header(run, header)
        except ReadError as error:
            found[run] = error
    return found


def describe_unreadable(runs: Sequence[str], headers: Sequence[str]) -> list[str]:
    """A sentence for each header that cannot be read: file, line, what was expected and found, what to do."""
    errors = [found for found in read_headers(runs, headers).values() if isinstance(found, ReadError)]
    more = [f"{counted(len(errors) - MOST, 'more header')} cannot be read."] if len(errors) > MOST else []
    return [f"A header cannot be read, which changes no score. {error}" for error in errors[:MOST]] + more


def reproduced_tags(found: Mapping[str, Value]) -> list[str]:
    """The tags of the runs that a run reproduces: the baselines in its header, if the header calls its actor a reproducer.

    Examples
    --------
    >>> reproduced_tags({"actor": {"role": "reproducer"}, "research goal": {"evaluation": {"baseline": ["bm25"]}}})
    ['bm25']
    """
    role, named = _at(found, "actor", "role"), _at(found, "research goal", "evaluation", "baseline")
    listed = [named] if isinstance(named, str) else named
    return [tag for tag in listed if isinstance(tag, str) and tag] if role == "reproducer" and isinstance(listed, list) else []


def _at(found: "Mapping[str, Value] | Value", *path: str) -> Value:
    """The value under a path of keys; empty if there is none."""
    for key in path:
        found = found.get(key, "") if isinstance(found, Mapping) else ""
    return found if isinstance(found, str | list | dict) else ""


def header_entries(found: Mapping[str, Value]) -> Iterator[tuple[str, str, str]]:
    """The content of a header as rows: section, path of keys within it, and text. The texts of a list share a row.

    Examples
    --------
    >>> list(header_entries({"tag": "bm25", "actor": {"fields": ["ir", "nlp"]}, "method": {"retrieval": [{"name": "bm25"}]}}))
    [('tag', '', 'bm25'), ('actor', 'fields', 'ir, nlp'), ('method', 'retrieval 1, name', 'bm25')]
    """
    for section, value in found.items():
        yield from ((section, ", ".join(path), text) for path, text in _paths(value, ()))


def _paths(value: Value, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, str):
        yield above, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _paths(part, (*above, key))
    elif texts := [part for part in value if isinstance(part, str)]:
        yield above, ", ".join(texts)
    if isinstance(value, list):
        for number, part in enumerate(value, 1):
            if not isinstance(part, str):
                yield from _paths(part, (*above[:-1], f"{above[-1] if above else ''} {number}".strip()))
