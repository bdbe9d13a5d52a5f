"""The book to take along: what becomes of a page on its way into the EPUB and the PDF."""

from xml.etree import ElementTree

import pytest
from by_path import ROOT, load

# the tests of other versions have no book
BeautifulSoup = pytest.importorskip("bs4").BeautifulSoup
pytest.importorskip("sphinx_external_toc")

take_along = load("book/_course/take_along.py")

HEAD = '<html xmlns="http://www.w3.org/1999/xhtml"><body>'


def test_a_page_for_a_reader_is_xml_without_scripts_and_with_open_folds():
    page = HEAD + (
        "<style scoped>td {a: b}</style><script>x && y</script><details><p>code<br>more</details>"
        '<table border=1><tr><td>1 &lt; 2&nbsp;m</td></tr></table><math><mi mathvariant="x">p</mi>'
        "</math></body></html>"
    )
    tree = ElementTree.fromstring(take_along.readable(page))
    names = [part.tag.rpartition("}")[2] for part in tree.iter()]
    assert not {"script", "style"} & set(names)
    assert {"br", "math", "mi", "table"} <= set(names)
    assert "1 < 2\N{NO-BREAK SPACE}m" in "".join(tree.itertext())
    [fold] = [part for part in tree.iter() if part.tag.endswith("details")]
    assert fold.get("open")


def test_pages_with_formulas_are_declared():
    listed = (
        '<item href="a.xhtml" media-type="application/xhtml+xml" />'
        '<item href="b.xhtml" media-type="application/xhtml+xml" />'
    )
    assert take_along._declared(listed, {"b.xhtml"}) == listed.replace(
        '"b.xhtml" media-type="application/xhtml+xml"',
        '"b.xhtml" media-type="application/xhtml+xml" properties="mathml"',
    )


def test_the_contents_are_in_reading_order():
    names = list(take_along.parse_toc_yaml(ROOT / "_toc.yml"))
    chapters = [name for name in names if name.startswith("notebooks/")]
    assert names[0] == "book/index"
    assert chapters == sorted(chapters)
    assert len(chapters) == len(list((ROOT / "notebooks").glob("*.md")))


@pytest.fixture
def pages(tmp_path):
    """A book of two pages that point at each other, at themselves and elsewhere."""
    bodies = {
        "book/index": '<h1>Start</h1><img src="../_images/a.png"><p id="top">1</p>'
        '<a href="../notebooks/00_x.html#top">a</a><a href="https://example.org/">b</a>'
        '<a href="../genindex.html">c</a>',
        "notebooks/00_x": '<h1>X</h1><p id="top">2</p><a href="#top">d</a>'
        '<a href="../book/index.html">e</a><img src="../_images/b.png">',
    }
    for name, body in bodies.items():
        path = tmp_path / f"{name}.html"
        path.parent.mkdir(exist_ok=True)
        page = f'<html><body><article class="bd-article">{body}</article></body></html>'
        path.write_text(page, encoding="utf-8")
    return take_along.one_page(tmp_path, list(bodies))


def test_links_between_pages_become_links_within_the_one(pages):
    soup = BeautifulSoup(pages, "html.parser")
    ids = [tag["id"] for tag in soup.find_all(id=True)]
    assert len(ids) == len(set(ids))
    links = {tag.get_text(): tag.get("href") for tag in soup.find_all("a")}
    assert links["a"] == links["d"] == "#notebooks-00_x--top"
    assert links["e"] == "#book-index"
    assert links["b"] == "https://example.org/"
    assert links["c"] is None
    assert {links["Start"], links["X"]} == {"#book-index", "#notebooks-00_x"}
    within = {href[1:] for href in links.values() if href and href.startswith("#")}
    assert within <= set(ids)


def test_pictures_are_found_from_the_first_pages_folder(pages):
    sources = [tag["src"] for tag in BeautifulSoup(pages, "html.parser").find_all("img")]
    assert sources == ["../_images/a.png", "../_images/b.png"]
