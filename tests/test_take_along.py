"""The book to take along: what becomes of a page on its way into the PDF."""

import pytest
from by_path import load

# the tests of other versions have no book
BeautifulSoup = pytest.importorskip("bs4").BeautifulSoup
pytest.importorskip("sphinx_external_toc")

take_along = load("book/_course/take_along.py")


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
