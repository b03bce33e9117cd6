"""Random command lines: a grammar over all commands and options, with small files of several formats.

`python -m tests.cli.random_lines 50000 --seed 7` runs many by hand and prints those that end in a traceback.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import sys
import tempfile
import time
import traceback
from pathlib import Path

import click
from click.testing import CliRunner

from arraycoref.cli.main import main
from arraycoref.options import OPTIONS

CONLL = (
    "#begin document ({0});\n{0}\t0\t0\tAnn\tNNP\t(1)\n{0}\t0\t1\tsaw\tVBD\t{1}\n"
    "{0}\t0\t2\ther\tPRP\t(1)\n\n#end document\n"
)
CONLLU = (
    "# newdoc id = {0}\n# global.Entity = eid-etype-head-other\n# sent_id = {0}-1\n# text = Ann saw her\n"
    "1\tAnn\tAnn\tPROPN\tNNP\t_\t2\tnsubj\t2:nsubj\tEntity=(e1-person-1-)\n"
    "2\tsaw\tsee\tVERB\tVBD\t_\t0\troot\t0:root\t{1}\n"
    "2.1\t_\t_\tPRON\t_\t_\t_\t_\t2:obj\tEntity=(e3-person-1-)\n"
    "3\ther\tshe\tPRON\tPRP\t_\t2\tobj\t2:obj\tEntity=(e1-person-1-)\n\n"
)
JSON = (
    '{{"doc_key": "{0}", "sentences": [["Ann", "saw", "her"], ["Bo", "did"]], "clusters": [[[0, 0], [2, 2]], {1}]}}\n'
)
SPANS = '{{"id": "{0}", "text": "Ann saw her", "clusters": [[[0, 3], [8, 11]], [[4, 7]]]}}\n'
BRAT = "T1\tPerson 0 3\tAnn\nT2\tPerson 8 11\ther\n{0}"
WEBANNO = (
    "#FORMAT=WebAnno TSV 3.3\n#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|"
    "referenceRelation\n\n\n#Text=Ann saw her\n1-1\t0-3\tAnn\t*->1-1\t_\n1-2\t4-7\tsaw\t_\t_\n"
    "1-3\t8-11\ther\t*->1-2\t_\n"
)
TABLE = "document,mention,label,key,response\nx_1,m1,a,1,1\nx_1,m2,a,1,2\ny_2,m3,{0},2,2\n"
EDGES = "unique_id_l,unique_id_r,match_probability\nu1,u2,0.9\nu2,u3,{0}\nu1,u4,0.2\n"
SPLINK = "unique_id,cluster_id\nu1,a\nu2,a\nu3,{0}\nu4,b\n"
TAGS = "Ann\tsubst:sg:nom:f\tsubst:sg:nom:f\nsaw\tfin:sg:ter:imperf\t{0}\n\n"
NAMES = ("x_1", "y_2")

SIDES: dict[str, tuple[str, str]] = {
    **{
        f"{s}.conll": ("conll", "".join(CONLL.format(n, c) for n in NAMES))
        for s, c in (("a", "-"), ("b", "(1)"), ("c", "(2)"))
    },
    **{
        f"{s}.conllu": ("conllu", "".join(CONLLU.format(n, c) for n in NAMES))
        for s, c in (("a", "_"), ("b", "Entity=(e2-event-1-)"))
    },
    **{
        f"{s}.jsonl": ("json", "".join(JSON.format(n, c) for n in NAMES))
        for s, c in (("a", "[[1, 1]]"), ("b", "[[3, 4], [0, 2]]"))
    },
    **{f"one-{s}.jsonl": ("json", JSON.format("x_1", c)) for s, c in (("a", "[[1, 1]]"), ("b", "[[3, 3]]"))},
    "spans.jsonl": ("spans", SPANS.format("x_1")),
    **{f"{s}.ann": ("brat", BRAT.format(c)) for s, c in (("p", "R1\tCoref Arg1:T1 Arg2:T2\n"), ("q", ""))},
    "w.tsv": ("webanno", WEBANNO),
    **{f"{s}.csv": ("table", TABLE.format(c)) for s, c in (("a", "b"), ("b", "a"))},
    **{f"splink-{s}.csv": ("splink", SPLINK.format(c)) for s, c in (("a", "b"), ("b", "c"))},
    **{f"{s}.labels": ("labels", f"1\n1\n{c}\n") for s, c in (("a", 1), ("b", 2))},
    "t.xml": ("text", '<coref id="1">Ann</coref> saw <coref id="1">her</coref>\n'),
    "t.md": ("text", "[Ann](#1) saw [her](#1)\n"),
    **{f"tags-{s}.tsv": ("tags", TAGS.format(c)) for s, c in (("a", "fin:sg:ter:imperf"), ("b", "subst:pl:acc:f"))},
    "edges.csv": ("edges", EDGES.format(0.5)),
    "empty.conll": ("broken", ""),
    "half.conll": ("broken", CONLL.format("x_1", "(3")),
    "half.json": ("broken", '{"doc_key": "x_1", "clusters": [[['),
    "bytes.txt": ("broken", "\x00\ufffe"),
}
"""Files by name: their kind, files of which belong together, and their text."""

OTHER_FILES = {"p.txt": "Ann saw her", "q.txt": "Ann saw her", "pairs.tsv": "a.conll\tb.conll\na.jsonl\tb.jsonl\n"}
PLACES = ("folder", "folder/*", "folder/*.conll", "nosuch", "nosuch*", "-", "")

METRICS = ("muc", "b3", "conll", "mentions,lea", "ceafe", "blanc")
SCORES = ("muc", "conll", "muc.recall", "b3.precision", "mentions", "lea")
VALUES: dict[str, tuple[str, ...]] = {
    "metrics": METRICS,
    "measures": ("exact", "pos", "pa,wpa"),
    "attributes": ("length", "kind,size", "distance", "size", "range"),
    "fields": ("f1", "recall,f1"),
    "blocks": ("dev,test",),
    "names": ("anna,ben", "anna,ben,cleo"),
    **dict.fromkeys(("metric", "bare", "sort"), SCORES),
    **dict.fromkeys(("by", "resample_by"), ("([a-z])_", "_", "document", "entity", "component", "[0-9]")),
    "name_pattern": (r"(?P<system>[a-z])", r"(?P<seed>\w)\."),
    **dict.fromkeys(("over", "pool", "plot_by", "plot_over", "parameter"), ("seed", "system", "t")),
    **dict.fromkeys(("fail_under", "fail_under_previous"), ("70", "muc=2", "b3.recall=99")),
    "published": ("43.61", "0.5", "muc.recall=61.2"),
    "thresholds": ("0.5", "0.1,0.9"),
    "pair_columns": ("unique_id_l,unique_id_r,match_probability",),
    "scored_pairs": ("edges.csv",),
    "column": ("-1", "6", "key:6,response:-1"),
    "columns": ("document,mention,label", "document,mention,key:key,response:response"),
    "unit": ("word", "key:word"),
    "end": ("inclusive", "response:inclusive"),
    "start": ("0", "response:0"),
    "clusters_field": ("clusters",),
    "name_field": ("doc_key", "id"),
    "baseline": ("a", "b"),
    "document": ("x_1", "y_2"),
    "upos": ("PROPN,PRON", "NOUN"),
    "window": ("2", "bookcoref"),
    "max_changed": ("5%", "0.5"),
    "tagset": ("nkjp",),
    "weights": ("poliqarp",),
    "preset": ("poliqarp",),
    "category": ("case", "pos"),
    "separator": ("|", ""),
    "relations": ("Coref",),
    "annotator": ("anna",),
    **dict.fromkeys(("output", "plot", "save", "wrong"), ("out.txt", "out.svg", "out.npz", "out.csv", "-")),
    **dict.fromkeys(("format", "key_format", "response_format"), ("conll", "jsonlines", "long", "brat", "labels")),
    "beta": ("2", "0.5"),
    **dict.fromkeys(("confidence", "alpha"), ("0.9", "0.05")),
    "max_bytes": ("1000000", "10"),
}
"""Values of options that may be right, by the option's name."""

STRANGE = (
    "x",
    "",
    "[",
    "=",
    "nan",
    "-1",
    "1e999",
    "muc.x",
    "nosuch/out",
    "a.conll",
    "folder",
    "key:3",
    str(2**63),
    "\u202e",
)
"""Values of any option, most of them wrong."""

NUMBERS = ("1", "2", "20")
LEFT_OUT = {"help", "help_all", "version", "scheduler", "engine", "threads", "progress"}
"""Options that end the command at once, start a cluster, or change nothing but the time."""

RARE = {"plot": 0.02, "help": 0, "fail_under": 0.5, "compare_to": 0.2, "file_pairs": 0.5}
"""How often an option that was chosen is typed, where it is not always; drawing a figure takes long."""

FORMATS_OF = {
    "tags": ("tags", "tags", "conllu"),
    "corefud": ("conllu", "conllu", "json"),
    "sweep": ("splink", "conll", "json", "conllu"),
    "reference": ("conll", "conll", "conllu"),
}
"""The kinds of files that some commands get; others get any."""


def write_files() -> None:
    """Write all files into the working directory."""
    os.makedirs("folder", exist_ok=True)
    for name, text in {**{name: text for name, (_, text) in SIDES.items()}, **OTHER_FILES}.items():
        Path(name).write_text(text, encoding="utf-8")
    for name in ("a.conll", "b.jsonl"):
        Path("folder", name).write_text(SIDES[name][1].replace("x_1", f"{name[0]}_1"), encoding="utf-8")


def commands(group: click.Group, names: tuple[str, ...] = ()) -> dict[tuple[str, ...], click.Command]:
    """Return all commands by the words that name them."""
    found: dict[tuple[str, ...], click.Command] = {}
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        of_group = commands(command, (*names, name)) if isinstance(command, click.Group) else {(*names, name): command}
        found |= of_group
    return found


class Lines:
    """Random command lines, the same for one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.commands = {words: each for words, each in commands(main).items() if words not in {("warmup",), ("demo",)}}
        self.by_kind: dict[str, list[str]] = {}
        for name, (kind, _) in SIDES.items():
            self.by_kind.setdefault(kind, []).append(name)

    def line(self) -> list[str]:
        """Return the words of a command line."""
        words = self.random.choice(list(self.commands))
        command = self.commands[words]
        options = [each for each in command.params if isinstance(each, click.Option) and each.name not in LEFT_OUT]
        n = min(len(options), self.random.choice((0, 0, 1, 1, 2, 3)))
        chosen = [*(each for each in options if each.required), *self.random.sample(options, n)]
        line = [*words, *self._arguments(words, command)]
        for option in dict.fromkeys(chosen):
            if self.random.random() < RARE.get(str(option.name), 1):
                line += self._typed(option)
                needed = [each for each in options if each.name in map(str, getattr(option, "needs", ()))]
                line += self._typed(needed[0]) if needed and self.random.random() < 0.8 else []
        names = {each.name for each in options}
        if "resamples" in names and ("intervals" not in names or "--intervals" in line):
            line += ["--resamples", "9"]
        if words[0] == "tags" and words[1] != "score" and "--preset" not in line:
            line += ["--tagset", "nkjp"]
        if self.random.random() < 0.01:
            line.append(self.random.choice(["--nonsense", "extra", "-q", "--"]))
        return line

    def _arguments(self, words: tuple[str, ...], command: click.Command) -> list[str]:
        kinds = FORMATS_OF.get(words[0], ("conll", "conll", "conllu", "json", "json", "brat", "text", *self.by_kind))
        kind = self.random.choice(kinds)
        files = self.by_kind[kind]
        arguments: list[str] = []
        for argument in (each for each in command.params if isinstance(each, click.Argument)):
            if argument.name == "metric":
                arguments.append(self.random.choice(("muc", "bcub", "ceafe", "blanc", "all", "lea")))
            elif argument.name == "target":
                arguments.append(
                    self.random.choice(["out.conll", "out.jsonl", "out.conllu", "out.xml", "-", "a.conll"])
                )
            elif argument.name in ("documents", "name"):
                arguments += self.random.sample(["x_1", "none", "z"], self.random.choice((0, 0, 1)))
            else:
                n = int(argument.required or self.random.random() < 0.8)
                n = self.random.choice((2, 2, 3)) if argument.nargs == -1 and words[0] != "check" else n
                some = [self._file(files) for _ in range(n)]
                distinct = self.random.sample(files, min(n, len(files)))
                arguments += distinct if argument.nargs == -1 and self.random.random() < 0.8 else some
        if words[0] == "sweep" and kind == "splink":
            return [arguments[0], "--scored-pairs", "edges.csv"]
        return [*arguments, *(["--input-format", "labels"] if kind == "labels" and words[0] != "convert" else [])]

    def _file(self, files: list[str]) -> str:
        """Return a file, mostly of one kind, or a place with or without some."""
        luck = self.random.random()
        name = self.random.choice(files if luck < 0.9 else list(SIDES) if luck < 0.97 else PLACES)
        return f"s={name}" if self.random.random() < 0.02 else name

    def _typed(self, option: click.Option) -> list[str]:
        """Return an option as it is typed, with a value that may be right."""
        flag = self.random.choice([*option.opts, *option.secondary_opts])
        if option.is_flag or option.secondary_opts:
            return [flag]
        entry = OPTIONS.get(str(option.name))
        values: tuple[str, ...] = VALUES.get(str(option.name), NUMBERS)
        if isinstance(option.type, click.Choice):
            values = tuple(map(str, option.type.choices))
        elif entry is not None and entry.choices:
            values = entry.choices
        elif str(option.metavar).startswith(("FILE", "DIR", "FOLDER")) and option.name not in VALUES:
            values = (self._file(list(SIDES)),)
        value = self.random.choice(values if self.random.random() < 0.93 else STRANGE)
        return [f"{flag}={value}"] if self.random.random() < 0.1 and flag.startswith("--") else [flag, value]


def run(line: list[str]) -> BaseException | None:
    """Run a command line in this process and the working directory; return what is no exit status."""
    done = CliRunner(env={"COLUMNS": None}).invoke(main, line, prog_name="arraycoref", input=CONLL.format("x_1", "-"))
    is_fine = done.exception is None or (isinstance(done.exception, SystemExit) and done.exit_code in (0, 1, 2, 3))
    return None if is_fine else done.exception


def failures(n: int, seed: int, *, slow: float = float("inf")) -> list[str]:
    """Run random command lines in an empty folder; return those that end in a traceback, with its end.

    Args:
        n: how many.
        seed: of the lines.
        slow: print lines that take more seconds.
    """
    lines, found, here = Lines(seed), [], os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for k in range(n):
                if k % 20 == 0:
                    write_files()
                line = lines.line()
                start = time.perf_counter()
                error = run(line)
                seconds = time.perf_counter() - start
                if seconds > slow:
                    print(f"{seconds:.1f} s: {shlex.join(line)}", flush=True)
                if error is not None:
                    last = traceback.extract_tb(error.__traceback__)[-1]
                    found.append(f"{shlex.join(line)}: {error!r:.200} ({Path(last.filename).name}:{last.lineno})")
        finally:
            os.chdir(here)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("n", type=int)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    begun = time.process_time()
    wrong = failures(asked.n, asked.seed, slow=2.0)
    print(*wrong, f"{len(wrong)} of {asked.n} end in a traceback; {time.process_time() - begun:.0f} s of CPU", sep="\n")
    sys.exit(bool(wrong))
