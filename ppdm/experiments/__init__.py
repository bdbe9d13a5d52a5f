"""The papers' long experiments, and the tables that they stored.

A chapter shows a stored table and computes some of its rows again, by the function that
wrote it: each row depends on nothing but its own key. ``python -m ppdm.experiments.as00``
computes the tables of a module anew; :mod:`~ppdm.experiments.as00`,
:mod:`~ppdm.experiments.frontier`, :mod:`~ppdm.experiments.guidance`,
:mod:`~ppdm.experiments.guidance_votes`, :mod:`~ppdm.experiments.lx14` and
:mod:`~ppdm.experiments.survey_check` can be run so.
"""

from ppdm.experiments._tables import load_table

__all__ = ["load_table"]
