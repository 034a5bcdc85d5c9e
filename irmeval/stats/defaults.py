"""Which test and which correction decide what differs significantly, unless others are asked for: everywhere the same.

The paired t test needs no samples, so that its p can be corrected for any number of pairs. The least p of a bootstrap is 1 / samples: of
1000, Holm's correction lets no pair of 30 runs pass (docs/CONVENTIONS.md, convention 26).
"""

TEST = "t"
CORRECTION = "holm"
