"""Offer the evaluators that come with neural systems: `CorefEvaluator` and `MentionEvaluator`, called as there.

Copies of `CorefEvaluator` differ in singletons, which the argument ``profile`` chooses: ``e2e`` (e2e-coref, coref-hoi,
fastcoref, s2e-coref, LingMess) skips them in B-cubed and drops the response's in CEAFe; ``maverick`` (Maverick, xCoRe,
BookCoref, Seq2seqCoref) keeps them. Results come as precision, recall, F.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from arraycoref.api import score_batch
from arraycoref.exceptions import InputError, check_name
from arraycoref.interop.accumulator import Accumulator
from arraycoref.match.objects import Clusters
from arraycoref.options.policies import Profile
from arraycoref.scoring.metrics.registry import as_metric
from arraycoref.scoring.metrics.score import Score, plain_score

AVERAGED = ("muc", "bcub", "ceafe")
METRICS = (*AVERAGED, "lea")
Prf = tuple[float, float, float]


class _Ratios:
    """Precision, recall and F, by the names of the evaluators' methods."""

    def _score(self) -> Score[float]:
        raise NotImplementedError

    def get_precision(self) -> float:
        """Return precision, 0-1."""
        return self._score().precision

    def get_recall(self) -> float:
        """Return recall, 0-1."""
        return self._score().recall

    def get_f1(self) -> float:
        """Return F, 0-1."""
        return self._score().f1

    def get_prf(self) -> Prf:
        """Return precision, recall and F, 0-1."""
        score = self._score()
        return score.precision, score.recall, score.f1

    def get_counts(self) -> tuple[float, float, float, float]:
        """Return numerator and denominator of precision, then of recall."""
        score = self._score()
        return score.precision_num, score.precision_den, score.recall_num, score.recall_den


class Evaluator(_Ratios):
    """One metric of a `CorefEvaluator`.

    Args:
        accumulator: the sums.
        metric: name of the metric.
    """

    def __init__(self, accumulator: Accumulator, metric: str) -> None:
        self.accumulator, self.metric = accumulator, metric

    def _score(self) -> Score[float]:
        if not self.accumulator.n_documents:
            return plain_score([0.0, 0.0, 0.0, 0.0])
        return self.accumulator.compute()[self.metric]


class CorefEvaluator:
    """Score documents one by one, as `CorefEvaluator` and `OfficialCoNLL2012CorefEvaluator` do.

        >>> gold, predicted = [((0, 0), (2, 3)), ((5, 5),)], [((0, 0), (2, 3), (5, 5))]
        >>> mention_to_gold, mention_to_predicted = ({m: c for c in side for m in c} for side in (gold, predicted))
        >>> evaluator = CorefEvaluator()
        >>> evaluator.update(predicted, gold, mention_to_predicted, mention_to_gold)
        >>> [round(value, 3) for value in evaluator.get_prf()]
        [0.581, 0.8, 0.605]
        >>> evaluator.get_prf("muc"), evaluator.evaluators[0].get_counts()
        ((0.5, 1.0, 0.6666666666666666), (1.0, 2.0, 1.0, 1.0))

    Args:
        profile: ``e2e`` or ``maverick``, for the copies named above; or another profile.

    Attributes:
        evaluators: those of MUC, B-cubed and CEAFe.
    """

    def __init__(self, profile: Profile = "e2e") -> None:
        self._accumulator = Accumulator(METRICS, profile=profile)
        self._profile = profile
        self.evaluators = [Evaluator(self._accumulator, metric) for metric in AVERAGED]

    def update(
        self,
        predicted: Clusters,
        gold: Clusters,
        mention_to_predicted: Mapping[Any, Any] | None = None,
        mention_to_gold: Mapping[Any, Any] | None = None,
    ) -> None:
        """Add a document.

        Args:
            predicted: clusters of hashable mentions.
            gold: the same.
            mention_to_predicted: the cluster of each mention; only its mentions are compared with those of
                ``predicted``. May be left out.
            mention_to_gold: the same.

        Raises:
            InputError: a mapping has other mentions than the clusters, which the original evaluators count in silence.
        """
        sides = {"predicted": [list(c) for c in predicted], "gold": [list(c) for c in gold]}
        for (name, clusters), mapping in zip(sides.items(), (mention_to_predicted, mention_to_gold), strict=True):
            if mapping is not None and (differing := mapping.keys() ^ {m for c in clusters for m in c}):
                reason = f"{next(iter(differing))!r} is in only one of {name} and mention_to_{name}"
                raise InputError(f"{reason}; expected a mapping of the mentions of all {name} clusters")
        options: Any = {"metrics": METRICS, "profile": self._profile}
        self._accumulator.add(score_batch([sides["gold"]], [sides["predicted"]], **options))

    def get_prf(self, metric: str = "conll2012") -> Prf:
        """Return precision, recall and F of a metric.

        Args:
            metric: ``muc``, ``b_cubed``, ``ceafe`` or ``lea``; ``conll2012`` for the mean of the first three.

        Raises:
            UnknownNameError: there is no such metric.
        """
        if metric == "conll2012":
            each = [evaluator.get_prf() for evaluator in self.evaluators]
            precision, recall, f1 = (sum(values) / len(each) for values in zip(*each, strict=True))
            return precision, recall, f1
        name = as_metric(metric)
        check_name("metric", name, METRICS)
        return Evaluator(self._accumulator, name).get_prf()

    def get_precision(self, metric: str = "conll2012") -> float:
        """Return precision, see `get_prf`."""
        return self.get_prf(metric)[0]

    def get_recall(self, metric: str = "conll2012") -> float:
        """Return recall, see `get_prf`."""
        return self.get_prf(metric)[1]

    def get_f1(self, metric: str = "conll2012") -> float:
        """Return F, see `get_prf`; by default the CoNLL average."""
        return self.get_prf(metric)[2]

    def get_muc(self) -> Prf:
        """Return precision, recall and F of MUC."""
        return self.get_prf("muc")

    def get_b3(self) -> Prf:
        """Return precision, recall and F of B-cubed."""
        return self.get_prf("b_cubed")

    def get_ceafe(self) -> Prf:
        """Return precision, recall and F of CEAFe."""
        return self.get_prf("ceafe")

    def clear(self) -> None:
        """Forget all documents."""
        self._accumulator.reset()


OfficialCoNLL2012CorefEvaluator = CorefEvaluator


class MentionEvaluator(_Ratios):
    """Compare sets of mentions, document by document.

        >>> evaluator = MentionEvaluator()
        >>> evaluator.update([(0, 0), (2, 3)], [(0, 0), (4, 4), (7, 8)])
        >>> evaluator.get_prf()
        (0.5, 0.3333333333333333, 0.4)

    Attributes:
        tp, fp, fn: number of mentions that both sides have, that only the response has, and that only the key has.
    """

    def __init__(self) -> None:
        self.clear()

    def update(self, predicted_mentions: Iterable[Any], gold_mentions: Iterable[Any]) -> None:
        """Add a document."""
        predicted, gold = set(predicted_mentions), set(gold_mentions)
        self.tp += len(predicted & gold)
        self.fp += len(predicted - gold)
        self.fn += len(gold - predicted)

    def clear(self) -> None:
        """Forget all documents."""
        self.tp = self.fp = self.fn = 0

    def _score(self) -> Score[float]:
        tp = float(self.tp)
        return plain_score([tp, tp + self.fn, tp, tp + self.fp])


OfficialMentionEvaluator = MentionEvaluator
