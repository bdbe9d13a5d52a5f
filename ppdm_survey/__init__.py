"""An online survey: a server, and a browser client that disguises the answers itself.

By the coin each answer goes through a public channel of whole numbers, and the browser says what
a report does to anybody's odds. By guided perturbation (Zhang, Wang and Zhao, 2005, section 7) the
server announces k* and hands out V_k*, the browser waits, draws R(t) and sends that. It needs the
extra ``ppdm[survey]``.
"""

# ruff: noqa: I001

try:
    from ppdm_survey._app import create_app
    from ppdm_survey._coin import CoinChannel, Column
    from ppdm_survey._coin_collector import CoinCollector
    from ppdm_survey._client import HttpMiner
    from ppdm_survey._collector import Collector
    from ppdm_survey._errors import (
        AnotherChannelError, BadInvitationError, BadTokenError, BusyError, DatabaseInUseError,
        InvitationUsedError, SurveyError, TokenUsedError, UnknownEpochError,
    )
    from ppdm_survey._messages import PublishedGuidance, guidance_hash
    from ppdm_survey._schema import Attribute, Survey, voting_survey
except ModuleNotFoundError as _lost:
    raise ImportError(
        f'ppdm_survey needs {_lost.name}: in a clone of ppdm, pip install ".[survey]"',
        name=_lost.name) from _lost

__all__ = [
    "AnotherChannelError", "Attribute", "BadInvitationError", "BadTokenError", "BusyError",
    "CoinChannel", "CoinCollector", "Collector", "Column", "DatabaseInUseError", "HttpMiner",
    "InvitationUsedError", "PublishedGuidance", "Survey", "SurveyError", "TokenUsedError",
    "UnknownEpochError", "create_app", "guidance_hash", "voting_survey",
]
