"""Read UIMA CAS of INCEpTION, WebAnno and CorefAnnotator: XMI, and the JSON of version 0.4.

A CAS is feature structures with a type, features and an id, by which others refer to them. Numbers of characters count
units of UTF-16. No type system is needed for what is read.

| annotation | its types | an entity is |
|---|---|---|
| chains | ``XLink`` with ``begin``, ``end``, ``next``; ``XChain`` with ``first`` | what ``next`` connects |
| relations | any, with ``Governor`` and ``Dependent`` | what they connect, see `arraycoref.read.annotation` |
| CorefAnnotator | ``Mention`` with ``Entity``; its spans are ``MentionSurface`` from version 2 on | the ``Entity`` |
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import groupby, pairwise
from typing import NamedTuple

from arraycoref.exceptions import ReadError
from arraycoref.read.annotation import NO_IDENTITY, Annotated, Link, Range, Span, name_of
from arraycoref.read.json import values_of
from arraycoref.read.json_layouts import Numbered
from arraycoref.read.markup import elements
from arraycoref.read.paths import JSON
from arraycoref.read.problems import ReadingOptions, quote
from arraycoref.runtime import Content

XMI_ID = "http://www.omg.org/XMI id"
BUILT_IN = "de.tudarmstadt.ukp.dkpro.core.api."
TOKEN, SENTENCE = f"{BUILT_IN}segmentation.type.Token", f"{BUILT_IN}segmentation.type.Sentence"
METADATA = f"{BUILT_IN}metadata.type.DocumentMetaData"
NO_SPANS = tuple(f"{BUILT_IN}{name}." for name in ("segmentation", "metadata", "lexmorph", "syntax", "anomaly"))
OWN_FEATURES = {"begin", "end", "sofa", "Governor", "Dependent", XMI_ID}
_NUMBER = re.compile(r"-?[0-9]{1,10}\Z")
ANNOTATOR = "de.unistuttgart.ims.coref.annotator.api."


class Structure(NamedTuple):
    """A feature structure.

    Attributes:
        id: its id.
        type: its type, with the namespace.
        features: its features as texts, of references the id.
        line: line of the file, or 0.
    """

    id: str
    type: str
    features: dict[str, str]
    line: int

    @property
    def range(self) -> Range | None:
        """First and past-the-last unit of a span; None for what is not a span."""
        begin, end = self.features.get("begin", "0"), self.features.get("end", "")
        return (int(begin), int(end)) if _NUMBER.match(begin) and _NUMBER.match(end) else None


def read_cas(data: Content, path: str, options: ReadingOptions) -> list[Annotated]:
    """Read the document of a CAS.

    Args:
        data: the bytes of the file: XMI, or JSON.
        path: its name.
        options: how to read it.

    Raises:
        ReadError: an error, where reading is strict; or no XML.
    """
    if JSON.match(data):
        return documents_of(values_of(data), path, options)
    structures, views = [], {}
    for element in elements(data, path):
        if element.depth == 1:
            space = element.space.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
            kind = f"{space}.{element.name}".removeprefix("uima.noNamespace.")
            structures.append(Structure(element.attributes.get(XMI_ID, ""), kind, element.attributes, element.line))
            if kind == "uima.cas.View":
                views[element.attributes.get("sofa", "")] = element.attributes.get("members", "").split()
    return [_document(structures, views, path, options)]


def documents_of(values: Iterable[Numbered], path: str, options: ReadingOptions) -> list[Annotated]:
    """Read the documents of JSON values, each a CAS."""
    documents = []
    for line, value in values:
        if isinstance(value, ReadError):
            options.problems.error(path, value.line or line, value.reason)
            continue
        listed = value.get("%FEATURE_STRUCTURES") if isinstance(value, dict) else None
        if isinstance(listed, dict):
            listed = [{"%ID": id, **each} for id, each in listed.items() if isinstance(each, dict)]
        if not isinstance(listed, list) or not isinstance(value, dict):
            options.problems.error(path, line, "no %FEATURE_STRUCTURES; expected a UIMA CAS in JSON 0.4")
            continue
        structures = []
        for each in listed:
            if isinstance(each, dict):
                texts = {name: str(value) for name, value in each.items() if isinstance(value, str | int)}
                features = {name.removeprefix("@"): text for name, text in texts.items() if name[:1] != "%"}
                structures.append(Structure(str(each.get("%ID")), str(each.get("%TYPE")), features, 0))
        of_views = value.get("%VIEWS")
        views = {}
        for view in of_views.values() if isinstance(of_views, dict) else ():
            members = view.get("%MEMBERS") if isinstance(view, dict) else None
            if isinstance(members, list):
                views[str(view.get("%SOFA"))] = list(map(str, members))
        documents.append(_document(structures, views, path, options, line))
    return documents


def _document(
    structures: list[Structure], views: dict[str, list[str]], path: str, options: ReadingOptions, line: int = 1
) -> Annotated:
    """Find text, words, spans and links of a document among the structures of its view."""
    name, annotator = name_of(path)
    document = Annotated(path, name, annotator=annotator, line=line, unit="utf-16", only_linked=True)
    texts = [each for each in structures if each.type == "uima.cas.Sofa" and "sofaString" in each.features]
    if not texts:
        options.problems.error(path, None, "no sofaString, the text of a UIMA CAS")
        return document
    sofa = next((each for each in texts if each.features.get("sofaID") == "_InitialView"), texts[0])
    document.text = sofa.features["sofaString"]
    of_view = set(views.get(sofa.id, ()))
    members = [each for each in structures if each.id in of_view] if of_view else structures
    tokens: list[Range] = []
    sentences: list[int] = []
    for each in members:
        place = each.range if each.type in (TOKEN, SENTENCE) else None
        if each.type == METADATA and "documentTitle" in each.features and not annotator:
            document.name, document.named = each.features["documentTitle"], True
            document.annotator = each.features.get("documentId", "")
        elif place is not None and each.type == SENTENCE:
            sentences.append(place[0])
        elif place is not None and place[0] < place[1]:
            tokens.append(place)
    tokens.sort()
    crossing = next((late for early, late in pairwise(tokens) if late[0] < early[1]), None)
    if crossing is None:
        starts = sorted(sentences)[1:]
        document.tokens = [[*own] for _, own in groupby(tokens, lambda token: bisect_right(starts, token[0]))]
    else:
        reason = f"the words overlap, as one from {crossing[0]} to {crossing[1]}; mentions are spans of characters"
        options.problems.warning(path, None, reason)
    if any(each.type.startswith(ANNOTATOR) for each in structures):
        _add_mentions(document, members, structures, options)
    else:
        _add_spans(document, members)
    return document


def _add_spans(document: Annotated, members: list[Structure]) -> None:
    """Add the spans of chains and of layers that may have relations, and these relations."""
    types = {each.type for each in members}
    of_chains = {each.type for each in members if "next" in each.features and each.type.endswith("Link")}
    of_chains |= {f"{name.removesuffix('Chain')}Link" for name in types if name.endswith("Chain")}
    for each in members:
        features = each.features
        if each.type in of_chains:
            layer = each.type.removesuffix("Link")
            document.spans.append(Span([each.range or (0, 0)], each.id, each.type, each.line, None, layer, each.id))
            if "next" in features:
                document.links.append(Link((features["next"], each.id), each.type, "", each.line))
        elif "Governor" in features and "Dependent" in features:
            if not each.type.startswith(f"{BUILT_IN}syntax."):
                values = [value for name, value in features.items() if name not in OWN_FEATURES]
                value = next((value for value in values if NO_IDENTITY.match(value)), values[0] if values else "")
                document.links.append(Link((features["Governor"], features["Dependent"]), each.type, value, each.line))
        elif not each.type.startswith((*NO_SPANS, "uima.")) and (place := each.range) is not None:
            document.spans.append(Span([place], each.id, each.type, each.line))
            for name in features:
                if name not in OWN_FEATURES:
                    document.leave_out(each.line, "features", name)


def _add_mentions(
    document: Annotated, members: list[Structure], structures: list[Structure], options: ReadingOptions
) -> None:
    """Add the mentions of CorefAnnotator, whose parts may be structures of their own."""
    by_id = {each.id: each for each in structures}
    surfaces: dict[str, list[Range]] = {}
    for each in members:
        if each.type.startswith(ANNOTATOR) and each.type.endswith("MentionSurface") and each.range is not None:
            surfaces.setdefault(each.features.get("Mention", ""), []).append(each.range)
    for each in members:
        if not each.type.startswith(ANNOTATOR) or not each.type.endswith(".Mention"):
            continue
        others: list[Structure | None] = []
        for name in ("Discontinuous", "Entity"):
            id = each.features.get(name)
            others.append(None if id is None else by_id.get(id))
            if id is not None and others[-1] is None:
                reason = f"{name!r} of the mention {quote(each.id)} is {quote(id)}, which is not in this document"
                options.problems.error(document.path, each.line or None, reason)
        more, entity = others
        parts = [part for part in (each.range, more and more.range, *surfaces.get(each.id, ())) if part is not None]
        name = f"{each.id} alone" if entity is None else f"{entity.features.get('Label', '')} ({entity.id})"
        document.spans.append(Span(parts or [(0, 0)], each.id, "", each.line, None, "Entity", name))
