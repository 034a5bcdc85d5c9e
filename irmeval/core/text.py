"""Numbers, names and values in words for messages."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

MAX_QUOTED = 80
"""Maximum number of characters of a quoted value."""

IRREGULAR = {"are": "is", "have": "has", "do": "does"}
"""Verbs in the plural and in the singular, where that is not an s behind."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_DIGITS = re.compile("([0-9]+)")
_SENTENCE = re.compile(r".*?[.?!](?= [^a-z0-9])", re.DOTALL)
"""A sentence that another follows; abbreviations go on in small letters or with a year."""


def capitalize(text: str) -> str:
    """Capitalise only the first letter of a sentence; others stay. A first word with a
    capital further in is a name, and stays as it is.

    >>> capitalize("max-t over AP"), capitalize("nDCG and AP agree")
    ('Max-t over AP', 'nDCG and AP agree')
    """
    first_word = text.partition(" ")[0]
    if first_word != first_word.lower():
        return text
    return text[:1].upper() + text[1:]


def first_sentence(text: str) -> str:
    """The first of several sentences.

    Examples
    --------
    >>> first_sentence("A dot is a run, as in Voorhees et al. 2008. The line is the mean.")
    'A dot is a run, as in Voorhees et al. 2008.'
    """
    found = _SENTENCE.match(text)
    if not found:
        return text
    return found.group()


def plural(noun: str) -> str:
    """``runs``, ``pairs of runs``, ``criteria``."""
    head, of, rest = noun.partition(" of ")
    ending = "s"
    if head.endswith("criterion"):
        head, ending = head.removesuffix("on"), "a"
    return f"{head}{ending}{of}{rest}"


def count_noun(n: int, noun: str) -> str:
    """``1 run``, ``2,500 runs``, ``3 pairs of runs``."""
    if n != 1:
        noun = plural(noun)
    return f"{n:,} {noun}"


def verb(n: float, one: str, many: str) -> str:
    """Form of a verb for a number of subjects: ``verb(1, "is", "are")`` is ``is``."""
    return one if n == 1 else many


def conjugate(n: int, predicate: str) -> str:
    """Conjugate a predicate in the plural for a number of subjects: ``conjugate(1,
    "keep the order")`` is ``keeps the order``.
    """
    if n > 1:
        return predicate
    first, *rest = predicate.split(" ", 1)
    ending = "s"
    if first.endswith(("ch", "sh")):
        ending = "es"
    return " ".join([IRREGULAR.get(first, first + ending), *rest])


def how_many(n: int, one: str, many: str) -> str:
    """``none holds``, ``1 holds``, ``2,500 hold``."""
    if not n:
        return f"none {one}"
    return f"{n:,} {verb(n, one, many)}"


def count_with_be(n: int, noun: str) -> str:
    """``1 run is``, ``2 runs are``."""
    return f"{count_noun(n, noun)} {verb(n, 'is', 'are')}"


def quantify(n: int, of: int, noun: str) -> str:
    """``none of 5 runs``, ``1 of 5 runs``, ``all 5 runs``; of two, ``neither run``,
    ``both runs``; of one, ``the run`` or ``no run``.
    """
    every = count_noun(of, noun)
    usual = {0: f"none of {every}", of: f"all {every}"}
    few = {
        1: {0: f"no {noun}", 1: f"the {noun}"},
        2: {0: f"neither {noun}", 2: f"both {plural(noun)}"},
    }
    words = usual | few.get(of, {})
    return words.get(n, f"{n:,} of {every}")


def share_that(n: int, of: int, noun: str, predicate: str) -> str:
    """How many of a number of items do something, by a predicate in the plural:
    ``neither run differs``, ``1 of 5 runs differs``.
    """
    subject = quantify(n, of, noun)
    if of == 1:
        return f"{subject} {conjugate(1, predicate)}"
    return f"{subject} {conjugate(n, predicate)}"


def any_of(names: Sequence[str], noun: str) -> str:
    """The only name; else ``either run``, ``any run``."""
    if len(names) == 1:
        return names[0]
    if len(names) == 2:
        return f"either {noun}"
    return f"any {noun}"


def names_or_number(names: Sequence[str], of: int, noun: str) -> str:
    """The names of at most three items, else their number: ``AP, Q``; ``7 of 8
    measures``, ``all 8 measures``.
    """
    # the names of all say less than ``both measures``; one of one has no other word
    are_all = len(names) == of > 1
    if are_all or len(names) > 3:
        return quantify(len(names), of, noun)
    return ", ".join(names)


def list_all(names: Sequence[str]) -> str:
    """List of names in a sentence: ``AP``, ``AP and Q``, ``AP, Q and RBP``; empty for
    none.
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def list_few(names: list[str], n: int = 5) -> str:
    """The first few names and the number of others; ``none`` for an empty list. A
    single other is named too.

    Examples
    --------
    >>> list_few(["a", "b", "c"], 2), list_few(["a", "b", "c", "d"], 2)
    ('a, b, c', 'a, b and 2 more')
    """
    if len(names) <= n + 1:
        return ", ".join(names) or "none"
    return f"{', '.join(names[:n])} and {len(names) - n:,} more"


def shorten(value: object) -> str:
    """Text of a value for a one-line message, cut to `MAX_QUOTED` characters; a string
    is quoted.
    """
    if isinstance(value, bytes):
        # a character has at most four bytes: no need to decode a whole file
        value = value[: 4 * MAX_QUOTED + 4].decode(errors="backslashreplace")
    if isinstance(value, str):
        return repr(_cut(value))
    try:
        return _cut(" ".join(repr(value).split()))
    except ValueError:  # more digits than Python writes
        return "a number of thousands of digits"


def _cut(text: str) -> str:
    if len(text) <= MAX_QUOTED:
        return text
    return text[:MAX_QUOTED] + "..."


def one_line(text: str) -> str:
    """Replace characters that break the line, control the terminal or change the
    direction of writing by blanks.
    """
    return _CONTROL.sub(" ", text)


def number_key(text: str) -> tuple[int, str] | None:
    """Sort key of texts of digits by their number, of any length; None for any other
    text.
    """
    # by their length first: int would refuse thousands of digits
    if not _DIGITS.fullmatch(text):
        return None
    return _number_key(text)


def natural_key(text: str) -> tuple[tuple[object, ...], str]:
    """Sort key of names in which digits count as numbers, so that ``106_2`` sorts
    before ``106_10``.

    Examples
    --------
    >>> from irmeval.core.text import natural_key
    >>> sorted(["10", "q10", "2", "q2", "106_10", "106_2"], key=natural_key)
    ['2', '10', '106_2', '106_10', 'q2', 'q10']
    """
    parts: list[object] = [*_DIGITS.split(text)]
    # of the parts, every second one is of digits
    parts[1::2] = map(_number_key, parts[1::2])
    # the text itself parts ``01`` and ``1``, which have the same number
    return tuple(parts), text


def _number_key(digits: object) -> tuple[int, str]:
    plain = str(digits).lstrip("0")
    return len(plain), plain


def natural_order(names: Sequence[str]) -> list[int]:
    """Indices of names in the order of `natural_key`."""
    return sorted(range(len(names)), key=lambda i: natural_key(names[i]))


def repeated(names: Iterable[str]) -> list[str]:
    """The names that occur more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


def slug(title: str) -> str:
    """Form of a title in file names and URLs."""
    return re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")


def slugs(titles: Iterable[str]) -> Iterator[str]:
    """Slug of each title. Duplicates, such as those of "Runs by Q" and "Runs by Q'",
    are numbered.
    """
    times: Counter[str] = Counter()
    for title in titles:
        stem = slug(title)
        times[stem] += 1
        if times[stem] == 1:
            yield stem
        else:
            yield f"{stem}~{times[stem]}"


def duration_in_words(seconds: float) -> str:
    """A duration in words: ``about 30 s``."""
    if seconds < 90:
        return f"about {max(round(seconds), 1)} s"
    if seconds < 90 * 60:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3600:,.0f} h"


def seconds_left(taken: float, done: int, total: int) -> float:
    """Seconds until all steps are done if they take as long as those so far; 0 before
    the first one is done.
    """
    if not done:
        return 0.0
    return taken * (total - done) / done


def all_of(n: int, noun: str) -> str:
    """``all 5 runs``, ``both runs``, ``the run``."""
    return quantify(n, n, noun)
