"""Computes the tables of a module anew; ``python -m ppdm_book.experiments --help`` says how."""

from ppdm_book.experiments._tables import main

main()
