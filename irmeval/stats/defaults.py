"""The default test and correction, the same everywhere.

The paired t test needs no samples, so its p can be corrected for any number of pairs. The smallest p of a bootstrap is 1 / samples: with
1000 samples, no pair of 30 runs is significant after Holm's correction (docs/CONVENTIONS.md, convention 26).
"""

TEST = "t"
CORRECTION = "holm"
