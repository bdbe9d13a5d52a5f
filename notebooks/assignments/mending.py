"""Put a student's answers into what was handed out, wherever the student wrote them."""

import re

import nbformat
from course import metadata


def named(cell):
    """Return by which name a cell was handed out; some editors keep its id alone."""
    return metadata(cell).get("grade_id") or cell.get("id")


def sources(notebook):
    """Return the text of each cell that has a name."""
    return {metadata(cell).grade_id: cell.source for cell in notebook.cells if metadata(cell)}


def to_read(notebook):
    """Return what each answer that a person must read is worth."""
    cells = (metadata(cell) for cell in notebook.cells if metadata(cell).get("grade"))
    return {cell.grade_id: cell.points for cell in cells if cell.solution}


def parts(notebook):
    """Return each question's title and cells, below one heading; the first part has no title."""
    found = [("", [])]
    for cell in notebook.cells:
        heading = re.search(r"^## (.*)$", cell.source, re.MULTILINE)
        if heading and not metadata(cell) and cell.cell_type == "markdown":
            found.append((re.sub(r" \(\d+ points?.*\)$", "", heading[1]), []))
        else:
            found[-1][1].append(cell)
    return found


def left_open(notebook, blank):
    """Return the graded cells of each question to which nothing was written.

    ``blank`` has the texts that were handed out; code that has no name was added.
    """
    found = []
    for _, cells in parts(notebook):
        own = [cell for cell in cells if not metadata(cell).get("locked")
               and (metadata(cell) or cell.cell_type == "code")]  # fmt: skip
        if all(blank.get(named(cell)) == cell.source for cell in own):
            found += [metadata(cell).grade_id for cell in cells if metadata(cell).get("grade")]
    return found


def shape(text):
    """Return the words of a text, by which what was handed out is known whatever the seed."""
    return re.sub(r"[\W\d_]+", " ", text).strip()


def written(source, released):
    """Return what a student has written into a text: the lines that were not handed out."""
    texts = (cell.source for cell in released.cells if not metadata(cell))
    ours = {shape(line) for text in texts for line in text.splitlines()} - {""}
    return "\n".join(line for line in source.splitlines() if shape(line) not in ours).strip()


def prose(found, released, notes):
    """Return the text of each question that a person reads, and add notes on where it stood.

    ``found`` has of each text the name of its cell, or None, and of the cell with a name before it.
    What stands in no question's cell goes to the question that follows, or else to the last.
    """
    order, questions, texts = list(sources(released)), list(to_read(released)), {}
    for own, last, cell in found if questions else ():
        after = order[order.index(last) :] if last else order
        name = own or next((one for one in after if one in questions), questions[-1])
        if text := cell.source if own else written(cell.source, released):
            texts.setdefault(name, {})[text] = own
            if not own:
                notes.append(f"text behind {last or 'the top'} is shown with {name}")
            if cell.get("attachments"):
                notes.append(f"{name} holds a picture: see what was handed in")
    copies = [name for name, parts in texts.items() if sum(map(bool, parts.values())) > 1]
    notes += [f"{name} stands in more than one cell: all are shown" for name in copies]
    return {name: "\n\n".join(parts) for name, parts in texts.items()}


def mend(text, released, tests):
    """Return what was handed out with a student's answers in it, and what was done to them.

    Given cells and tests are as they were released, wherever a student edited or deleted them; code
    cells that a student added stay behind the cell that they followed. Where a cell stands twice,
    the first that is not as it was released holds the answer. The instructor's own ``tests``, whole
    with their hidden parts, are no edit: the key has them.
    """
    submitted = nbformat.reads(text, as_version=4)
    nbformat.validate(submitted, relax_add_props=True)
    ours = {named(cell): cell for cell in released.cells if metadata(cell)}
    by_hand, theirs, added, texts, last = to_read(released), {}, {None: []}, [], None
    for cell in submitted.cells:
        name, code, own = named(cell), cell.cell_type == "code", ours.get(named(cell))
        blank = own and cell.source.split() == own.source.split()
        last = name if own and name not in theirs else last
        if own and theirs.get(name, own).source.split() == own.source.split():
            theirs[name] = cell
        elif code and not blank and name not in by_hand:
            added.setdefault(last, []).append(nbformat.v4.new_code_cell(cell.source))
        if not blank and (name in by_hand if own else not code or last in by_hand):
            texts.append((own and name, last, cell))
    made_for = released.metadata.ppdm.release
    another = (submitted.metadata.get("ppdm") or {}).get("release", made_for) != made_for
    notes, cells = ["was made for the data of another seed"] * another, added[None]
    answers = prose(texts, released, notes)
    for original in released.cells:
        name, cell = metadata(original).get("grade_id"), original.copy()
        if name and name not in theirs:
            notes.append(f"{name} was deleted and is restored")
        elif name and not original.metadata.nbgrader.locked:
            cell.source = theirs[name].source
        elif name and theirs[name].source not in (original.source, tests.get(name)):
            notes.append(f"{name} was edited and is restored")
        cell.source = answers.get(name, cell.source)
        cells += [cell, *added.get(name, ())] if name else [cell]
    mended = nbformat.v4.new_notebook(cells=cells, metadata=released.metadata)
    for i, cell in enumerate(mended.cells):
        cell.id = f"cell-{i}"
    return mended, notes
