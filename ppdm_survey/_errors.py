"""What the survey refuses, each with the code and the status of its answer."""


class SurveyError(ValueError):
    """A request was refused; nothing has changed by it."""

    code: str = "invalid"
    status: int = 422


class BadTokenError(SurveyError):
    """The token was not handed out by this survey, or for another epoch."""

    code: str = "bad_token"
    status: int = 403


class UnknownEpochError(SurveyError):
    """The epoch has never been."""

    code: str = "unknown_epoch"
    status: int = 404


class UnknownQuestionError(SurveyError):
    """The survey has no such question."""

    code: str = "unknown_question"
    status: int = 404


class NotEstimableError(SurveyError):
    """Nobody was asked what is to be estimated."""

    code: str = "not_estimable"
    status: int = 409


class AnotherChannelError(SurveyError):
    """The report is of another channel than the survey's."""

    code: str = "another_channel"
    status: int = 409


class TokenUsedError(SurveyError):
    """The token has been used for another submission."""

    code: str = "token_used"
    status: int = 409


class BadInvitationError(SurveyError):
    """The invitation was not made for this survey, or nobody is invited to it."""

    code: str = "bad_invitation"
    status: int = 403


class InvitationUsedError(SurveyError):
    """The invitation has been exchanged already."""

    code: str = "invitation_used"
    status: int = 409


class BusyError(SurveyError):
    """The submission was not stored: send the same again."""

    code: str = "busy"
    status: int = 503


class DatabaseInUseError(RuntimeError):
    """Another server works on this database, or it holds another survey."""
