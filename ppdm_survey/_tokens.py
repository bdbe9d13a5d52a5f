"""Who may answer: tokens, for anybody in an epoch or for one who is invited, signed unseen.

A token of an epoch is signed with a secret, so that handing one out stores nothing; so is an
invitation. An invitation is exchanged for a blind signature, a token that was signed unseen, so
that nobody can join it with its owner: RSABSSA-SHA384-PSS-Deterministic of RFC 9474, on the
keys, the encoding and the verification of the package cryptography. What it does not offer is
RSA's bare power, which a signer takes of a blinded message; that is ``BlindSigner.sign``. The
message is a nonce that the token's owner draws. The RFC asks for a message of such entropy
where it is not prefixed at random. That token is of no epoch: exchanges in each would join it with
its owner by their times.
"""

import base64
import hmac
import secrets
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from ppdm_survey._errors import BadTokenError, SurveyError

NONCE, SIGNATURE = 16, 16
LENGTH = 43  # of the text: 32 bytes in base64 without padding
SIGNATURE_LENGTH = 342  # of a blind signature, 256 bytes
BLIND_LENGTH = 363  # of a token with its blind signature, 16 + 256 bytes
BITS = 2048  # of the modulus
_PSS = padding.PSS(padding.MGF1(hashes.SHA384()), salt_length=48)
_HASH = hashes.SHA384()


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
        return hmac.digest(self._secret, nonce + epoch.to_bytes(8, "big"), "sha256")[:SIGNATURE]


def invitations(secret: bytes) -> Tokens:
    """Return what makes and knows a survey's invitations; they are of no epoch, or of 0."""
    return Tokens(hmac.digest(secret, b"invitations", "sha256"))


class BlindSigner:
    """Sign what cannot be seen, and know a token that was signed so.

    Parameters
    ----------
    key : bytes
        As ``new_key`` returns it.
    """

    def __init__(self, key: bytes) -> None:
        private = serialization.load_der_private_key(key, None)
        assert isinstance(private, rsa.RSAPrivateKey)
        self._public = private.public_key()
        self._numbers = private.private_numbers()
        self.n, self._e = self._numbers.public_numbers.n, self._numbers.public_numbers.e
        self.size = (self.n.bit_length() + 7) // 8

    def jwk(self) -> dict[str, str]:
        """Return the public key as a JSON Web Key, which browsers read."""
        n, e = self.n.to_bytes(self.size, "big"), self._e.to_bytes(3, "big")
        return {"kty": "RSA", "n": encode(n), "e": encode(e)}

    def sign(self, blinded: bytes) -> bytes:
        """Return the signature of a blinded message (RFC 9474, section 4.3: BlindSign).

        Parameters
        ----------
        blinded : bytes

        Returns
        -------
        bytes

        Raises
        ------
        SurveyError
            If it is no number below the modulus, in as many bytes.
        """
        z = self.number(blinded)
        # how long a power takes depends on its base, which is made random here
        r = secrets.randbelow(self.n - 2) + 2
        s = self._power(z * pow(r, self._e, self.n) % self.n) * pow(r, -1, self.n) % self.n
        if pow(s, self._e, self.n) != z:  # the RFC's check: a wrong power would show the key
            raise RuntimeError("the blind signature does not verify")
        return s.to_bytes(self.size, "big")

    def number(self, blinded: bytes) -> int:
        """Return a blinded message as a number."""
        z = int.from_bytes(blinded, "big")
        if len(blinded) != self.size or z >= self.n:
            raise SurveyError(f"blinded must be {self.size} bytes below the key's modulus")
        return z

    def check(self, token: str) -> bytes:
        """Return the nonce of a token.

        Raises
        ------
        BadTokenError
            If this key has not signed it.
        """
        raw = decode(token)
        try:
            self._public.verify(raw[NONCE:], raw[:NONCE], _PSS, _HASH)
        except InvalidSignature:
            raise BadTokenError("token must be one that an invitation was exchanged for") from None
        return raw[:NONCE]

    def _power(self, z: int) -> int:
        """Return z to the private exponent, modulo p and q (RFC 8017, section 5.1.2)."""
        key = self._numbers
        a, b = pow(z % key.p, key.dmp1, key.p), pow(z % key.q, key.dmq1, key.q)
        return b + key.q * ((a - b) * key.iqmp % key.p)


def new_key() -> bytes:
    """Return a new private key, in DER."""
    key = rsa.generate_private_key(65537, BITS)
    return key.private_bytes(serialization.Encoding.DER, serialization.PrivateFormat.PKCS8,
                             serialization.NoEncryption())


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
