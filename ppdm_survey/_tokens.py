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
from functools import cache
from math import gcd
from typing import Any, NamedTuple, Self

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
        message = nonce + epoch.to_bytes(8, "big")
        return hmac.digest(self._secret, message, "sha256")[:SIGNATURE]


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


class Blinded(NamedTuple):
    """A nonce, and what is needed to take its signature out of the blind one."""

    message: bytes
    """What the signer sees: any nonce could be in it."""
    nonce: bytes
    inverse: int
    n: int
    e: int

    @classmethod
    def draw(cls, jwk: dict[str, str]) -> Self:
        """Draw a nonce and blind it (RFC 9474, section 4.2: Blind)."""
        n, e = (int.from_bytes(decode(jwk[name]), "big") for name in "ne")
        if n.bit_length() != BITS or e != 65537:
            raise ValueError(f"the key must be of RSA, {BITS} bits, with the exponent 65537")
        nonce = secrets.token_bytes(NONCE)
        r = secrets.randbelow(n - 2) + 2
        z = _encoded(nonce) * pow(r, e, n) % n
        if gcd(z, n) > 1:  # what divides it could be told from the token (section 4.2, step 4)
            raise ValueError("the key must be a product of two large primes")
        return cls(z.to_bytes(BITS // 8, "big"), nonce, pow(r, -1, n), n, e)

    def token(self, signature: bytes) -> str:
        """Return the token for a blind signature (RFC 9474, section 4.4: Finalize)."""
        s = int.from_bytes(signature, "big") * self.inverse % self.n
        signed = s.to_bytes((self.n.bit_length() + 7) // 8, "big")
        public = rsa.RSAPublicNumbers(self.e, self.n).public_key()
        try:
            public.verify(signed, self.nonce, _PSS, _HASH)
        except InvalidSignature:
            raise ValueError("the blind signature must be one of the published key") from None
        return encode(self.nonce + signed)


def new_key() -> bytes:
    """Return a new private key, in DER."""
    key = rsa.generate_private_key(65537, BITS)
    return key.private_bytes(serialization.Encoding.DER, serialization.PrivateFormat.PKCS8,
                             serialization.NoEncryption())


def _encoded(nonce: bytes) -> int:
    """Return the encoding EMSA-PSS of a nonce, with a random salt.

    cryptography gives it inside a signature only; so a throwaway key signs, and its public
    exponent undoes that.
    """
    key = _throwaway()
    numbers = key.public_key().public_numbers()
    return pow(int.from_bytes(key.sign(nonce, _PSS, _HASH), "big"), numbers.e, numbers.n)


@cache
def _throwaway() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, BITS)


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
