"""Logistic regression with an intercept that differs from group to group, and how far a
group that is new may lie from the others.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irmeval.core.lazy import special

RIDGE = 0.25
"""Penalty of a coefficient of a standardised feature, as if by a normal prior of
standard deviation 2.
"""
FIRST = 0.5
"""Standard deviation of the intercepts that is assumed before any group is seen, in
logits.
"""
WORTH = 3
"""How many groups that assumption is worth."""
STEPS = 4
"""Newton's steps between two estimates of the standard deviation."""
ROUNDS = 12
"""Estimates of the standard deviation."""
GRID = np.geomspace(0.02, 4.0, 33)
"""Standard deviations among which that of new groups is found."""
NODES = 15
"""Points at which the distribution of an intercept is taken."""
LARGEST = 20.0
"""Logits are cut here."""


class Fit(NamedTuple):
    """A fitted regression."""

    center: np.ndarray
    scale: np.ndarray
    """float64 [feature], by which features are standardised"""
    beta: np.ndarray
    """float64 [1 + feature], intercept and coefficients of the standardised features"""
    covariance: np.ndarray
    """of `beta`"""
    groups: np.ndarray
    """float64 [group], the intercepts, around 0"""
    spread: float
    """standard deviation of the intercepts"""

    def design(self, x: np.ndarray) -> np.ndarray:
        """Standardised features after a column of ones [n, 1 + feature]."""
        return np.concatenate([np.ones((len(x), 1)), (x - self.center) / self.scale], axis=1)

    def logits(self, x: np.ndarray) -> np.ndarray:
        """Logit of the probability for a group in the middle [n]."""
        found: np.ndarray = self.design(x) @ self.beta
        return found

    def draw(self, x: np.ndarray, normal: np.ndarray, away: np.ndarray) -> np.ndarray:
        """Probabilities [draw, n] of groups that lie `away` from the middle, in logits
        [draw]. Coefficients are drawn from their distribution by standard normal
        numbers [draw, 1 + feature].
        """
        # a feature without any spread makes it singular but for the small term
        root = np.linalg.cholesky(self.covariance + 1e-12 * np.eye(len(self.beta)))
        found: np.ndarray = special.expit(
            (self.beta + normal @ root.T) @ self.design(x).T + away[:, None]
        )
        return found


def fit_random_intercepts(
    x: np.ndarray, y: np.ndarray, group: np.ndarray, groups: int, *, like: Fit | None = None
) -> Fit:
    """Fit P(y) = 1 / (1 + exp(-(x beta + u[group]))), where the intercepts u are normal
    around 0, by penalised quasi-likelihood.

    The variance of the intercepts is the mean of their squares and of their own
    variances, iterated (Breslow & Clayton 1993, Section 2.4; Schall 1991).

    Parameters
    ----------
    x : float64 [n, feature]
    y : bool [n]
    group : int [n], from 0 to `groups` - 1
    like : a fit of similar data, whose features' scale and spread are taken; only
        coefficients are fitted anew
    """
    center, scale = (like.center, like.scale) if like else (x.mean(axis=0), x.std(axis=0) + 1e-6)
    found = Fit(center, scale, np.zeros(1 + x.shape[1]), np.empty(0), np.zeros(groups), FIRST)
    if like:
        found = found._replace(beta=like.beta, groups=like.groups, spread=like.spread)
    design, present = found.design(x), np.bincount(group, minlength=groups) > 0
    # a fit without a few groups starts next to that of all, so one round is enough
    for _ in range(1 if like else ROUNDS):
        found, variance = _newton(found, design, y.astype(np.float64), group)
        if not like:
            found = found._replace(
                spread=max(
                    float(np.sqrt(np.mean((found.groups**2 + variance)[present]))), float(GRID[0])
                )
            )
    return found


def _newton(
    fit: Fit, design: np.ndarray, y: np.ndarray, group: np.ndarray
) -> tuple[Fit, np.ndarray]:
    """The fit after some of Newton's steps, and the variance of each group's
    intercept.
    """
    beta, u, precision = fit.beta, fit.groups, 1 / fit.spread**2
    penalty = np.full(beta.size, RIDGE)
    # the intercept is not penalised: shares may be far from a half
    penalty[0] = 0
    for _ in range(STEPS):
        p = special.expit(np.clip(design @ beta + u[group], -LARGEST, LARGEST))
        # of documents that are all relevant, the weights would vanish and the inverse
        # with them
        weight = p * (1 - p) + 1e-10
        weighted = design * weight[:, None]
        across = np.stack([np.bincount(group, column, u.size) for column in weighted.T])
        own = np.bincount(group, weight, u.size) + precision
        inverse = np.linalg.inv(weighted.T @ design + np.diag(penalty) - (across / own) @ across.T)
        slope = np.bincount(group, y - p, u.size) - precision * u
        step = inverse @ (design.T @ (y - p) - penalty * beta - across @ (slope / own))
        beta, u = beta + step, u + (slope - across.T @ step) / own
    variance = 1 / own + np.einsum("jg,jk,kg->g", across / own, inverse, across / own)
    return fit._replace(beta=beta, groups=u, covariance=inverse), variance


class Evidence(NamedTuple):
    """Evidence on the spread of groups from one that was left out."""

    likelihood: np.ndarray
    """float64 [GRID], log-likelihood of what happened, for each standard deviation of
    the intercepts
    """

    @classmethod
    def of(cls, logits: np.ndarray, y: np.ndarray, weight: np.ndarray) -> "Evidence":
        """From the logits predicted for a group in the middle [n], what happened, bool
        [n], and how much each counts [n].
        """
        # the integral over a normal intercept has no closed form
        nodes, shares = np.polynomial.hermite_e.hermegauss(NODES)
        away = np.clip(logits[:, None, None] + GRID[:, None] * nodes, -LARGEST, LARGEST)
        each = np.where(y[:, None, None], 0.0, -away) - np.log1p(np.exp(-away))
        return cls(
            special.logsumexp(np.tensordot(weight, each, 1) + np.log(shares / shares.sum()), axis=1)
        )


def spread_of_new(evidence: Sequence[Evidence]) -> float:
    """The standard deviation of the intercepts of groups that the fit has not seen, in
    logits: the most likely one.

    `FIRST` counts as `WORTH` groups, so that few groups do not decide alone, and groups
    of a few observations hardly count. One more group lies about the mean of n others
    by 1 + 1/n of their variance.
    """
    prior = -WORTH * (np.log(GRID) + (FIRST / GRID) ** 2 / 2)
    best = int(np.argmax(np.sum([each.likelihood for each in evidence], axis=0) + prior))
    return float(GRID[best] * np.sqrt(1 + 1 / (len(evidence) + WORTH)))


def left_out_folds(groups: Sequence[int] | np.ndarray, folds: int) -> list[np.ndarray]:
    """Groups [group] that are left out together, each group once: one by one, or if there
    are more than `folds`, in that many parts.
    """
    some = np.asarray(groups)
    return [some[i::folds] for i in range(min(folds, some.size))]
