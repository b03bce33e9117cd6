"""Write the description that package indexes show: the README, with links to the repository, or without links."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^]]*)\]\((?!https?:)([^)]*)\)")


class Description(MetadataHookInterface):
    """The README; the address of its files comes from ``[project.urls] Repository`` in pyproject.toml."""

    def update(self, metadata: dict) -> None:
        """Make relative links absolute if there is an address; else keep their words, and leave out pictures."""
        address = metadata.get("urls", {}).get("Repository")

        def absolute(link: re.Match[str]) -> str:
            picture, words, target = link.groups()
            if address:
                return f"{picture}[{words}]({address}/{'raw' if picture else 'blob'}/HEAD/{target})"
            return "" if picture else words

        text = LINK.sub(absolute, Path(self.root, "README.md").read_text(encoding="utf-8"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
