"""Make the assignments of a seed: ``make assignments SEED=2027``.

In ``courses/SEED`` then lie, of each assignment: ``release/NAME``, what students get, and
``NAME.zip``, the same to upload; ``source/NAME``, with solutions and hidden tests; ``key/NAME``,
the source executed, as a notebook and as a page. A seed whose solution fails a test stops here.
``AVOID=2026`` takes the next seed from the given one on that differs enough from that year's.
"""

import argparse
import copy
import itertools
import shutil
import tempfile

import nbformat
from course import COURSES, NAMES, SEED, make_data, write_source
from nbconvert import HTMLExporter
from nbgrader.preprocessors import CheckCellMetadata, ClearHiddenTests, ClearSolutions, LockCells
from running import run, tests_of
from tqdm import tqdm

#: At least so many of the verdicts must be others than those of the year to avoid.
OTHERS = 5


def decided(seed):
    """Return what a seed decides in each assignment, and the numbers of its text."""
    with tempfile.TemporaryDirectory() as folder:
        made = {name: make_data(name, seed, folder) for name in NAMES}
    numbers = {
        (name, key): one["numbers"][key] for name, one in made.items() for key in one["numbers"]
    }
    return {name: one["verdict"] for name, one in made.items()}, numbers


def other_than(avoid, seed):
    """Return the first seed from one on whose verdicts and numbers are not those of a year."""
    old, old_numbers = decided(avoid)
    for found in itertools.count(seed):
        verdicts, numbers = decided(found)
        others = sum(verdicts[name] != old[name] for name in NAMES)
        if others >= OTHERS and all(numbers[key] != old_numbers[key] for key in numbers):
            return found


def execute_key(notebook, folder, path):
    """Store the source with what it prints, and as a page to print; its own tests must pass."""
    failed, notes = run(notebook, tests_of(notebook), sorted(folder.glob("case.*")), timeout=300)
    if failed or notes:
        raise RuntimeError(f"{path.stem}: its own solution fails: {failed or notes}")
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)
    html, _ = HTMLExporter().from_notebook_node(notebook)
    path.with_suffix(".html").write_text(html, encoding="utf-8")


def make(name, seed, course, with_key=True):
    """Make one assignment in a course's folder: source, key, release and zip."""
    source, release = course / "source" / name, course / "release" / name
    shutil.rmtree(source, ignore_errors=True)
    notebook = write_source(name, seed, source)
    if with_key:
        execute_key(copy.deepcopy(notebook), source, course / "key" / f"{name}.ipynb")
    shutil.rmtree(release, ignore_errors=True)
    shutil.copytree(source, release, ignore=shutil.ignore_patterns("*.ipynb"))
    for step in (LockCells(), ClearSolutions(), ClearHiddenTests(), CheckCellMetadata()):
        notebook, _ = step.preprocess(notebook, {})
    nbformat.write(notebook, release / f"{name}.ipynb")
    shutil.make_archive(course / name, "zip", course / "release", name)


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--avoid", type=int, help="the seed of a year that must differ")
    args = parser.parse_args()
    if min(args.seed, args.avoid or 0) < 0:
        parser.error("a seed is a whole number from 0 on")
    seed = args.seed if args.avoid is None else other_than(args.avoid, args.seed)
    course = COURSES / str(seed)
    for name in (bar := tqdm(NAMES)):
        bar.set_description(name)
        make(name, seed, course)
    print(f"Seed {seed}. For you alone, the verdicts that are right:")
    for name, verdict in decided(seed)[0].items():
        print(f"  {name:24} {verdict}")
    print(f"For students: {course}/release and one zip each. For you: {course}/key")


if __name__ == "__main__":
    main()
