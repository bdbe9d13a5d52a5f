"""One-time tokens: signed, so that handing one out stores nothing."""

import base64
import hmac
import secrets
from typing import Any

from ppdm_survey._errors import BadTokenError

NONCE, SIGNATURE = 16, 16
LENGTH = 43  # of the text: 32 bytes in base64 without padding
SIGNATURE_LENGTH = 342  # of a blind signature, 256 bytes
BLIND_LENGTH = 363  # of a token with its blind signature, 16 + 256 bytes


class Tokens:
    """Issue and check tokens; each is bound to an epoch.

    Parameters
    ----------
    secret : bytes
        Kept beside the submissions, so that a token outlives a restart too.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def issue(self, epoch: int) -> str:
        """Return a new token for an epoch."""
        nonce = secrets.token_bytes(NONCE)
        return encode(nonce + self._sign(nonce, epoch))

    def check(self, token: str, epoch: int) -> bytes:
        """Return the token's nonce, by which it is known to be used or not.

        Raises
        ------
        BadTokenError
            If it was not issued here for this epoch.
        """
        raw = decode(token)
        nonce = raw[:NONCE]
        if not hmac.compare_digest(raw, nonce + self._sign(nonce, epoch)):
            raise BadTokenError(f"token must be one that was handed out for epoch {epoch}")
        return nonce

    def _sign(self, nonce: bytes, epoch: int) -> bytes:
        message = nonce + epoch.to_bytes(8, "big")
        return hmac.digest(self._secret, message, "sha256")[:SIGNATURE]


def invitations(secret: bytes) -> Tokens:
    """Return what makes and knows a survey's invitations; they are of no epoch, or of 0."""
    return Tokens(hmac.digest(secret, b"invitations", "sha256"))


def encode(raw: bytes) -> str:
    """Return bytes as a text: base64 for addresses, without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def decode(text: Any) -> bytes:
    """Return the bytes of a text that ``encode`` may have made, of any other none."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (ValueError, TypeError):
        return b""
    return raw if encode(raw) == text else b""  # base64 has several spellings of the same bytes
