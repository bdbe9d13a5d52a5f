"""Make the assignments of a seed: ``make assignments SEED=2027``.

In ``_build/assignments/SEED`` then lie, of each assignment: ``release/NAME``, what students get,
and ``NAME.zip``, the same to upload; ``source/NAME``, with solutions and hidden tests;
``key/NAME.ipynb``, the source executed. A seed whose solution fails a test stops here.
"""

import argparse
import shutil
import zipfile

import nbclient
import nbformat
from course import BUILD, NAMES, SEED, nbgrader_api, write_source
from tqdm import tqdm


def execute_key(notebook, folder, path):
    """Store the source with what it prints; its own tests must pass."""
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)


def zip_folder(folder, path):
    """Zip a folder such that the same files give the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(str(folder.name / file.relative_to(folder)))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)


def make(name, seed, course, with_key=True):
    """Make one assignment in a course's folder: source, key, release and zip."""
    source = course / "source" / name
    shutil.rmtree(source, ignore_errors=True)
    notebook = write_source(name, seed, source)
    if with_key:
        execute_key(notebook, source, course / "key" / f"{name}.ipynb")
    outcome = nbgrader_api(course).generate_assignment(name)
    if not outcome["success"]:
        raise RuntimeError(f"{name}: {outcome.get('error')}\n{outcome.get('log')}")
    zip_folder(course / "release" / name, course / f"{name}.zip")


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES, help="which; all by default")
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args()
    course = BUILD / str(args.seed)
    for name in (bar := tqdm(args.names)):
        bar.set_description(name)
        make(name, args.seed, course)
    print(f"For students: {course}/release and one zip each. For you: {course}/key")


if __name__ == "__main__":
    main()
