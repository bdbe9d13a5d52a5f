"""What the survey refuses, each with the code and the status of its answer."""


def demand(allowed: object, rule: str, got: object, error: type[Exception] = ValueError) -> None:
    """Refuse what is not allowed, by the rule and by what was given instead."""
    if not allowed:
        raise error(f"{rule}, got {got!r}")


class SurveyError(ValueError):
    """A request was refused; nothing has changed by it."""

    code: str = "invalid"
    status: int = 422

    def __init_subclass__(cls, code: str, status: int) -> None:
        cls.code, cls.status = code, status


class BadTokenError(SurveyError, code="bad_token", status=403):
    """The token was not handed out by this survey, or for another epoch."""


class UnknownEpochError(SurveyError, code="unknown_epoch", status=404):
    """The epoch has never been."""


class AnotherChannelError(SurveyError, code="another_channel", status=409):
    """The report is of another channel than the survey's."""


class TokenUsedError(SurveyError, code="token_used", status=409):
    """The token has been used for another submission."""


class BadInvitationError(SurveyError, code="bad_invitation", status=403):
    """The invitation was not made for this survey, or nobody is invited to it."""


class InvitationUsedError(SurveyError, code="invitation_used", status=409):
    """The invitation has been exchanged already."""


class BusyError(SurveyError, code="busy", status=503):
    """The submission was not stored: send the same again."""


class DatabaseInUseError(RuntimeError):
    """Another server works on this database, or it holds another survey."""
