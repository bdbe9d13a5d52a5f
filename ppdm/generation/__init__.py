"""Sample generation: an owner publishes invented records (LX14, section 2).

:class:`SampleGenerator` keeps random records on which trained classifiers agree, as the paper
does. :class:`GaussianSampleGenerator` draws from one Gaussian for each class: the plain
baseline to compare with, behind the same interface.
"""

from ppdm.generation._generators import GaussianSampleGenerator, SampleGenerator, default_estimators
from ppdm.generation._private_tree import PrivateTreeGenerator

__all__ = [
    "GaussianSampleGenerator",
    "PrivateTreeGenerator",
    "SampleGenerator",
    "default_estimators",
]
