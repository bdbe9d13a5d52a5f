"""What the survey refuses, each with the code and the status of its answer."""

from __future__ import annotations


class SurveyError(ValueError):
    """A request was refused; nothing has changed by it."""

    code = "invalid"
    status = 422


class BadTokenError(SurveyError):
    """The token was not handed out by this survey, or for another epoch."""

    code, status = "bad_token", 403


class UnknownEpochError(SurveyError):
    """The epoch has never been."""

    code, status = "unknown_epoch", 404


class TokenUsedError(SurveyError):
    """The token has been used for another submission."""

    code, status = "token_used", 409


class BadInvitationError(SurveyError):
    """The invitation was not made for this survey, or nobody is invited to it."""

    code, status = "bad_invitation", 403


class InvitationUsedError(SurveyError):
    """The invitation has been exchanged already."""

    code, status = "invitation_used", 409


class BusyError(SurveyError):
    """The submission was not stored: send the same again."""

    code, status = "busy", 503


class DatabaseInUseError(RuntimeError):
    """Another server works on this database, or it holds another survey."""
