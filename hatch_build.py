"""README as an index shows it: with an address its pictures and links are absolute."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface


def absolute(text: str, repository: str) -> str:
    """Return a text whose links and pictures lead to the repository."""
    raw = repository.replace("https://github.com/", "https://raw.githubusercontent.com/") + "/main/"
    text = re.sub(r"(!\[[^\]]*\]\()(?!\w+:|#)", rf"\g<1>{raw}", text)
    return re.sub(r"((?<!!)\[[^\]]*\]\()(?!\w+:|#)", rf"\g<1>{repository}/blob/main/", text)


class CustomMetadataHook(MetadataHookInterface):
    """Gives the field ``readme``."""

    def update(self, metadata: dict) -> None:
        """Read README.md, and the address that pyproject.toml has or has not."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = metadata.get("urls", {}).get("Repository")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, repository) if repository else text,
        }
