"""What the chapters of the book need besides :mod:`ppdm`.

:mod:`ppdm_book.experiments` has the papers' long experiments and the tables that they stored,
:mod:`ppdm_book.claims` the papers' claims beside our numbers, :mod:`ppdm_book.figures` the style of
the figures and what each figure shows, as text.
"""
