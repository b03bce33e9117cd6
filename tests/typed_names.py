"""Names and values that type checkers accept, and wrong ones, which they refuse: ``mypy tests/typed_names.py``.

A wrong name that was accepted would make its comment an error.
"""

import arraycoref as ac

KEY, RESPONSE = [["a", "b"], ["c"]], [["a", "b", "c"]]


def accepted() -> float:
    """Hold lines in which all is right."""
    s = ac.score(KEY, RESPONSE, singletons="drop", metrics="muc,b3", profile="conll")
    b = ac.score_batch([KEY], [RESPONSE], duplicates="first", threads=2)
    f = ac.score_files("key.conll", "response.conll", matching="head", level="corpus")
    ac.compare({"a": b, "f": f}, correction="holm", field="recall", method="percentile")
    ac.errors("key.conll", "response.conll", spans="text", confidence=0.9)
    return b["muc"].f1 + s["muc"].f1 + b.document(0)["blanc"].coreference.f1


def refused() -> None:
    """Hold a wrong name or value in each line."""
    b = ac.score_batch([KEY], [RESPONSE])
    ac.score(KEY, RESPONSE, singletons="dropp")  # type: ignore[arg-type]
    ac.score(KEY, RESPONSE, singleton="drop")  # type: ignore[call-arg]
    ac.score_labels([0, 0], [0, 1], zero_division="one")  # type: ignore[arg-type]
    ac.score_labels([0, 0], [0, 1], metric="muc")  # type: ignore[call-arg]
    ac.score_batch([KEY], [RESPONSE], duplicates="frist")  # type: ignore[arg-type]
    ac.score_files("key.conll", "response.conll", matching="heads")  # type: ignore[arg-type]
    ac.bootstrap(b, method="bac")  # type: ignore[arg-type]
    ac.compare({"a": b}, correction="bonferroni")  # type: ignore[arg-type]
    ac.compare({"a": b}, field="precison")  # type: ignore[arg-type]
    ac.errors("key.conll", "response.conll", spans="heads")  # type: ignore[arg-type]
    ac.convert("key.conll", "key.txt", to="csv")  # type: ignore[arg-type]
    b.to_frame("panda")  # type: ignore[call-overload]
    print(b["muc"].f2)  # type: ignore[attr-defined]
