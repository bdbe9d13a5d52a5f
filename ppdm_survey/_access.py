"""Who may answer: anybody, by a token of the epoch, or who has exchanged an invitation for one."""

from ppdm_survey._blind import BlindSigner
from ppdm_survey._errors import BadInvitationError, BadTokenError
from ppdm_survey._tables import Exchange
from ppdm_survey._tokens import Tokens, invitations


class Access:
    """Hand out tokens and know them again, with invitations or without.

    Parameters
    ----------
    secret : bytes
        Signs the tokens of an epoch and the invitations.
    key : bytes, optional
        Signs blindly. Without, the survey is open to anybody.
    """

    def __init__(self, secret: bytes, key: bytes | None = None) -> None:
        self.tokens, self.invitations = Tokens(secret), invitations(secret)
        self.signer = None if key is None else BlindSigner(key)

    def issue(self, epoch: int) -> str:
        """Return a new token for an epoch; none where people bring their own."""
        return "" if self.signer else self.tokens.issue(epoch)

    def check(self, token: str, epoch: int) -> bytes:
        """Return the token's nonce, by which it is known to be used or not."""
        return self.signer.check(token) if self.signer else self.tokens.check(token, epoch)

    def exchange(self, invitation: str, blinded: bytes) -> Exchange:
        """Return what is to be stored before the signature is given; a wrong one is refused."""
        if self.signer is None:
            raise BadInvitationError("invitation is not needed: the survey is open to anybody")
        try:
            code = self.invitations.check(invitation, 0)
        except BadTokenError:
            raise BadInvitationError("invitation must be one that was made here") from None
        self.signer.number(blinded)
        return Exchange(code, blinded)
