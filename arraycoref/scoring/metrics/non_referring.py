"""Non-referring mentions: those that files mark as referring to nothing, such as *it* in "it rains".

Of each such entity the first mention counts, and is right if the other side has one with the same words. These mentions
do not count in any other metric.

Source: Yu et al. (2022), The Universal Anaphora Scorer.
"""

from __future__ import annotations

import numpy as np

from arraycoref.ragged import Floats
from arraycoref.scoring.metrics.bridging import Bridging


def count(links: Bridging) -> Floats:
    """Count the mentions that refer to nothing on both sides, and those of the key and the response: float64 (D, 4).

        >>> from arraycoref.scoring.metrics.bridging import LinkEnds
        >>> no_links, none = LinkEnds(*5 * [np.array([], int)]), np.array([], int)
        >>> rain = np.array([0, 0]), np.array([7, 9])
        >>> count(Bridging(1, no_links, no_links, none, none, (rain, (np.array([0]), np.array([7])))))
        array([[1., 2., 1., 1.]])

    Args:
        links: relations of D documents.
    """
    (document, key), (of_response, response) = links.nothing
    counted = document[np.isin(key, response)], document, of_response[np.isin(response, key)], of_response
    return np.stack([np.bincount(each, minlength=links.n_documents) for each in counted], axis=1).astype(np.float64)
