"""The map from chapters to public names, and what the reference says of each name."""

from pathlib import Path

import pytest
from by_path import ROOT, load
from headless import BOOK_MARKS, HTML

pytest.importorskip("sphinx")
bs4 = pytest.importorskip("bs4")
names_map = load("book/_ext/names_map.py")
TABLE = {name.full: name for name in names_map.table(ROOT)}


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("ppdm.datasets.load_voting", "notebooks/00_tour"),  # the first chapter of many
        ("ppdm.privacy.rank_kept", "notebooks/41_what_the_measures_measure"),  # by its module
        ("ppdm.attacks.average_releases", "book/asking_again"),  # in code that stands in a text
        ("ppdm.reconstruction.EMResult", "notebooks/11_reconstruction"),  # what em returns
        ("ppdm.channel.RecordPart", "book/add_a_scheme"),  # what a method returns
        ("ppdm.typing.Bits", ""),  # what a function returns, and no class
        ("ppdm.exceptions.PPDMWarning", ""),
    ],
)
def test_the_first_chapter_that_imports_a_name_explains_it(name, page):
    assert TABLE[name].page == page


def parsed(page):
    return bs4.BeautifulSoup((HTML / "book" / page).read_text(encoding="utf-8"), "html.parser")


class TestInTheBook:
    pytestmark = BOOK_MARKS

    def test_each_name_is_on_the_page_and_leads_to_its_entry(self):
        links = parsed("map.html").select(".names-map a.internal")
        links = {link["href"].partition("#")[2] for link in links}
        assert {name.full for name in TABLE.values() if name.entry} <= links

    @pytest.mark.parametrize("module", ["reconstruction", "privacy", "compare"])
    def test_each_entry_ends_with_its_chapter(self, module):
        page = parsed(f"api/{module}.html")
        for name in TABLE.values():
            if name.full.startswith(f"ppdm.{module}.") and name.entry:
                entry = page.find(id=name.full).find_parent("dl").find("dd")
                said = [p for p in entry.find_all("p", recursive=False) if "Explained" in p.text]
                leads = [Path(link["href"]).stem for link in said[-1].find_all("a")]
                assert leads == [Path(name.page).stem] * bool(name.page)
