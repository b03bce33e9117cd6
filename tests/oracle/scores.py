"""From counts to scores, as in README, "Metrics": F of van Rijsbergen (1979), corpus sums, document means."""

from fractions import Fraction


def ratio(numerator, denominator):
    """Divide exactly; a ratio over 0 is 0."""
    return Fraction(numerator) / Fraction(denominator) if denominator else Fraction(0)


def f_beta(recall, precision, beta=1):
    """Return (1 + b^2) P R / (b^2 P + R), or 0 if P and R are 0."""
    square = Fraction(beta) ** 2
    below = square * precision + recall
    return (1 + square) * precision * recall / below if below else Fraction(0)


def score(counts, beta=1):
    """Return recall, precision and F of four counts."""
    recall_num, recall_den, precision_num, precision_den = counts
    recall = ratio(recall_num, recall_den)
    precision = ratio(precision_num, precision_den)
    return recall, precision, f_beta(recall, precision, beta)


def total(documents):
    """Add up the counts of documents: rows of numbers, or tuples of such rows as BLANC's."""
    first = documents[0]
    if isinstance(first[0], tuple):
        return type(first)(*(total(rows) for rows in zip(*documents, strict=True)))
    return tuple(sum(column) for column in zip(*documents, strict=True))


def micro(documents, beta=1):
    """Return the corpus score: the sum of the sums over documents, then one division."""
    return score(total(documents), beta)


def macro(scores):
    """Return the mean over documents of (recall, precision, F); the mean F is not computed from the other means."""
    return tuple(sum(values, Fraction(0)) / len(scores) for values in zip(*scores, strict=True))


def conll_mean(f_muc, f_bcub, f_ceafe):
    """Return the CoNLL score: Pradhan et al. (2012), the mean of three F1."""
    return (f_muc + f_bcub + f_ceafe) / 3
