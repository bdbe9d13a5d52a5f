"""Give the EPUB its version, and its formulas as MathML, which readers show without a script.

MathJax, which typesets the pages, also translates: the copy that ``sphinx-mathjax-offline`` brings
runs in Chromium, without a network, for as long as the book is written. A second translator would
read TeX in its own way.
"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.math import get_node_equation_number, wrap_displaymath

import ppdm

PAGE = "<script>MathJax = {{startup: {{typeset: false}}}}</script><script src='{}'></script>"


class Translator:
    """MathJax in a browser that is started with the first formula."""

    def __init__(self) -> None:
        self.page: Any = None

    def __call__(self, tex: str, display: bool) -> str:
        """Return a formula as MathML."""
        if self.page is None:
            self._start()
        call = "([tex, display]) => MathJax.tex2mml(tex, {display})"
        mathml: str = self.page.evaluate(call, [tex, display])
        if "merror" in mathml:
            raise ValueError(f"MathJax cannot read {tex!r}: {mathml}")
        return mathml

    def _start(self) -> None:
        from playwright.sync_api import sync_playwright

        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        if chromium is None:
            raise RuntimeError("the formulas of an EPUB need Chromium: apt install chromium")
        spec = importlib.util.find_spec("sphinx-mathjax-offline")
        assert spec is not None
        assert spec.origin is not None
        script = Path(spec.origin).parent / "static" / "mathjax" / "tex-chtml.js"
        self.folder = tempfile.TemporaryDirectory()
        start = Path(self.folder.name) / "start.html"
        start.write_text(PAGE.format(script.as_uri()), encoding="utf-8")
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        self.page = self.browser.new_page()
        self.page.goto(start.as_uri())
        self.page.evaluate("MathJax.startup.promise.then(() => true)")

    def stop(self, app: Sphinx, error: Exception | None) -> None:
        """Close the browser."""
        if self.page is not None:
            self.browser.close()
            self.playwright.stop()
            self.folder.cleanup()
            self.page = None


translate = Translator()


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula of a line."""
    writer.body.append(translate(node.astext(), False))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own, with its number."""
    tex = node.astext()
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(writer, node)
        writer.body.append(f'<span class="eqno">({number})</span>')
    whole = tex if node["nowrap"] else wrap_displaymath(tex, None, False)
    writer.body.append(translate(whole, True))
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def _version(app: Sphinx) -> None:
    # of every builder, or an EPUB would read all sources a second time
    app.config.version = app.config.release = ppdm.__version__


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the renderer; ``epub_math_renderer`` chooses it, pages keep theirs."""
    app.add_config_value("epub_math_renderer", None, "epub")
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.connect("builder-inited", _version, priority=100)  # before Sphinx asks for it
    app.connect("build-finished", translate.stop)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
