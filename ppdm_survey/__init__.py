"""The online survey system of guided perturbation: a server and a browser client.

The server announces k* and hands out V_k*; the browser encrypts the answers, waits, draws
R(t) and sends that alone. Zhang, Wang and Zhao (2005), section 7. It needs the extra
``ppdm[survey]``.
"""

# ruff: noqa: I001

try:
    from ppdm_survey._app import create_app
    from ppdm_survey._client import HttpMiner
    from ppdm_survey._collector import Collector
    from ppdm_survey._errors import (
        BadInvitationError, BadTokenError, BusyError, DatabaseInUseError, InvitationUsedError,
        SurveyError, TokenUsedError, UnknownEpochError,
    )
    from ppdm_survey._messages import PublishedGuidance, guidance_hash
    from ppdm_survey._schema import Attribute, Survey, voting_survey
except ModuleNotFoundError as _lost:
    raise ImportError(
        f'ppdm_survey needs {_lost.name}: pip install "ppdm[survey]"', name=_lost.name
    ) from _lost

__all__ = [
    "Attribute", "BadInvitationError", "BadTokenError", "BusyError", "Collector",
    "DatabaseInUseError", "HttpMiner", "InvitationUsedError", "PublishedGuidance", "Survey",
    "SurveyError", "TokenUsedError", "UnknownEpochError", "create_app", "guidance_hash",
    "voting_survey",
]
