"""The papers' long experiments, and the tables that they stored.

A chapter shows a stored table and computes some of its rows again, by the function that
wrote it: each row depends on nothing but its own key. ``python -m ppdm_book.experiments as00``
computes the tables of a module anew; so it does those of each here without an underscore.
"""

from ppdm_book.experiments._tables import load_table

__all__ = ["load_table"]
