"""Run ``arraycoref errors KEY RESPONSE``: count the errors of each type, and find what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arraycoref.cli import options as shared
from arraycoref.cli.main import examples, main, warner, write_report
from arraycoref.cli.systems import named_systems, names_of
from arraycoref.options import FileOptions

if TYPE_CHECKING:
    from arraycoref.analysis import Analysis


@main.command(
    epilog=examples(
        "errors key.conll response.conll",
        "errors key.conll a.conll b.conll --metric muc",
        "errors key.conll ours=out/a.conll --spans none --format json",
    )
)
@shared.systems
@shared.option("metric", help="Give costs in the F of this metric.")
@shared.analyzing
@shared.option("method")
@shared.sampling
@shared.options_of(FileOptions)
@shared.output_options()
def errors(
    *,
    key: str,
    systems: tuple[str, ...],
    systems_in: str | None,
    metric: str,
    output_format: str,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Print how many errors of each type there are, and what they cost.

    For each type: the number of errors with its interval; the links that MUC loses by them; how much F gains if they
    alone are corrected; and what is lacking to 100 if all others are. The types are those of Kummerfeld and Klein
    (2013): conflated and divided entities, extra and missing mentions and entities, mentions whose span alone is
    wrong, and singletons beside them. A SYSTEM is named as in `arraycoref compare`.
    """
    sampling = {name: options.pop(name) for name in ("method", "confidence", "resamples", "seed")}
    sampling["threads"] = options["threads"]
    table = analyzed(key, systems, systems_in, quiet, options).error_table(metric, **sampling)
    write_report(table, output_format, output)


def analyzed(
    key: str, systems: tuple[str, ...], systems_in: str | None, quiet: bool, options: dict[str, Any]
) -> Analysis:
    """Analyze the systems that the user named; ``options`` are those of `arraycoref.analyze_files`."""
    import arraycoref
    from arraycoref.stats.settings import text_of

    named = named_systems(key, systems, systems_in, quiet)
    paths = {text_of(name): path for name, (_, path) in zip(names_of(named), named, strict=True)}
    return arraycoref.analyze_files(key, paths, **options, on_error=warner(quiet))
