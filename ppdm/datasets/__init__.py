"""The data sets of the five papers: four shipped (one in two forms), the others drawn.

Each loader returns a ``sklearn.utils.Bunch`` with ``data``, ``target``,
``feature_names``, ``target_names``, ``DESCR`` and ``frame``, or with
``return_X_y=True`` the pair ``(data, target)``. ``as_frame=True`` gives pandas objects
and is the only thing here that needs pandas. A shipped file is read only if its SHA-256
is the one written in the code; ``data/README.md`` says where each file comes from. The
makers (``make_*``) draw synthetic data as the papers describe them.
"""

from ppdm.datasets._synthetic import (
    AGRAWAL_DOMAIN,
    AGRAWAL_FEATURES,
    AGRAWAL_INTEGER,
    make_agrawal,
    make_plateau,
    make_triangles,
)
from ppdm.datasets._uci import (
    load_adult_binary,
    load_breast_cancer_wisconsin,
    load_pima,
    load_voting,
)

__all__ = [
    "AGRAWAL_DOMAIN",
    "AGRAWAL_FEATURES",
    "AGRAWAL_INTEGER",
    "load_adult_binary",
    "load_breast_cancer_wisconsin",
    "load_pima",
    "load_voting",
    "make_agrawal",
    "make_plateau",
    "make_triangles",
]
