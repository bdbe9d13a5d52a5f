"""One-time tokens: signed, so that handing one out stores nothing."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

from ppdm.survey._errors import BadTokenError

NONCE, SIGNATURE = 16, 16
LENGTH = 43  # of the text: 32 bytes in base64 without padding


class Tokens:
    """Issue and check tokens; each is bound to an epoch and outlives it.

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
        text = base64.urlsafe_b64encode(nonce + self._sign(nonce, epoch))
        return text.rstrip(b"=").decode("ascii")

    def check(self, token: str, epoch: int) -> bytes:
        """Return the token's nonce, by which it is known to be used or not.

        Raises
        ------
        BadTokenError
            If it was not issued here for this epoch.
        """
        if not isinstance(token, str):
            raise BadTokenError(f"token must be a text, got {token!r}")
        try:
            raw = base64.b64decode(token + "=", altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raw = b""
        nonce = raw[:NONCE]
        expected = nonce + self._sign(nonce, epoch)
        # the text is compared, too: base64 has several spellings of the same bytes
        same = base64.urlsafe_b64encode(raw).rstrip(b"=") == token.encode("utf-8", "replace")
        if not (hmac.compare_digest(raw, expected) and same):
            raise BadTokenError(f"token must be one that was handed out for epoch {epoch}")
        return nonce

    def _sign(self, nonce: bytes, epoch: int) -> bytes:
        message = nonce + epoch.to_bytes(8, "big")
        return hmac.new(self._secret, message, hashlib.sha256).digest()[:SIGNATURE]
