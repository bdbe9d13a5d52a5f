"""How much is disclosed: measures of privacy, as functions of a channel or of a release."""

from ppdm.privacy._local_epsilon import local_epsilon

__all__ = ["local_epsilon"]
