"""Evaluate a language model with inspect-ai: the metric of the evaluation is the score of the whole data set.

The model is Inspect's mock model with answers written here, so that nothing is asked for over a network.
"""

from __future__ import annotations

import json

from inspect_ai import Task, eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from arraycoref.interop.inspect_ai import coref_scorer

PROMPT = "List the mentions of each entity of this text, as JSON, a list of lists of strings.\n\n"
DOCUMENTS = [
    ("Mary lost her keys.", [["Mary", "her"], ["her keys"]]),
    ("John saw a dog. It barked at him.", [["John", "him"], ["a dog", "It"]]),
    ("The committee met. Its chair resigned.", [["The committee", "Its"], ["Its chair"]]),
]
ANSWERS = {
    "Mary": 'Here they are:\n```json\n[["Mary", "her"], ["her keys"]]\n```',
    "John": '{"clusters": [["John", "It", "him"], ["a dog"]]}',
    "The": "I see no coreference in this text.",
}


def answer(messages, *_) -> ModelOutput:
    """Answer a prompt."""
    first = messages[-1].text.removeprefix(PROMPT).split()[0]
    output = ModelOutput.from_content("mockllm", ANSWERS[first])
    output.usage = ModelUsage()  # else the mock model counts tokens, for which it downloads a file
    return output


def task() -> Task:
    """Return the task: texts as input, clusters as target."""
    samples = [Sample(input=PROMPT + text, target=json.dumps(clusters)) for text, clusters in DOCUMENTS]
    return Task(dataset=samples, scorer=coref_scorer(metrics="muc,bcub"))


def main(log_dir: str = "logs", epochs: int = 1) -> dict[str, float]:
    """Return the numbers that Inspect lists for the task."""
    model = get_model("mockllm/model", custom_outputs=answer)
    (log,) = evaluate(task(), model=model, log_dir=log_dir, display="none", epochs=epochs)
    if log.error:
        raise RuntimeError(log.error.message)
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


if __name__ == "__main__":
    print(*(f"{name} {value:.4f}" for name, value in main().items()), sep="\n")
