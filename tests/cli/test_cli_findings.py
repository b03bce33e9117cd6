"""``errors`` opens with findings, whose commands have the files that were typed."""

import json

import numpy as np


def write(path, sides):
    lines = [json.dumps({"doc_key": name, "clusters": clusters}) for name, clusters in sides.items()]
    path.write_text("\n".join(lines))
    return str(path)


def test_errors_open_with_findings(run, tmp_path):
    rng = np.random.default_rng(0)
    sides = {"key": {}, "a b": {}}
    for d in range(24):
        name, entity = f"{('sea', 'hill')[d % 2]}_{d:02}", rng.integers(0, 5, 30)
        is_wrong = rng.random(30) < (0.1, 0.6)[d % 2]
        for side, labels in (("key", entity), ("a b", np.where(is_wrong, rng.integers(0, 5, 30), entity))):
            sides[side][name] = [[[int(m), int(m)] for m in np.flatnonzero(labels == e)] for e in range(5)]
    key, response = (write(tmp_path / f"{name}.jsonl", own) for name, own in sides.items())
    lines = run("errors", key, response).stdout.splitlines()
    assert lines[0].startswith("CoNLL F1 is ")
    assert lines[1] == f"  arraycoref show {key} '{response}'"
    assert lines[2].startswith("12 documents named “hill” score ")
    assert lines[3] == f"  arraycoref errors {key} '{response}' --by hill"
    assert lines[lines.index("") + 1].split()[0] == "errors"
    groups = run("errors", key, response, "--by", "hill").stdout.splitlines()
    assert groups[:4] == lines[:4]
    found = json.loads(run("errors", key, response, "--format", "json").stdout)["findings"]
    assert [finding["kind"] for finding in found][:2] == ["score", "documents"]
    assert found[1]["p"] <= 0.05
