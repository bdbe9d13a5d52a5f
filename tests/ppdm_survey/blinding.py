"""Who is invited, in Python: what the page does with the vendored script (RFC 9474)."""

import secrets
from functools import cache
from math import gcd
from typing import Any, NamedTuple, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import rsa

from ppdm_survey import HttpMiner
from ppdm_survey._tokens import _HASH, _PSS, BITS, NONCE, decode, encode


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


class Invited(HttpMiner):
    """A survey's server as somebody invited sees it."""

    def __init__(self, url: str, client: Any = None, *, invitation: str) -> None:
        super().__init__(url, client)
        self._invitation = invitation
        self._blinded: Blinded | None = None
        self._signed = ""

    def exchange(self) -> None:
        """Exchange the invitation, if it has not been; the same is asked again."""
        if self._signed:
            return
        if self._blinded is None:
            self._blinded = Blinded.draw(self._ask("GET", "api/access")["key"])
        body = {"invitation": self._invitation, "blinded": encode(self._blinded.message)}
        signature = self._ask("POST", "api/exchange", body)["signature"]
        self._signed = self._blinded.token(decode(signature))

    def inquire(self) -> Any:
        self.exchange()
        return super().inquire()

    def ready(self, epoch: int) -> Any:
        message = super().ready(epoch)
        self._token = message.epoch, self._signed  # whatever the server handed out
        return message

    def report(self, channel: Any, answers: Any) -> None:
        self.exchange()
        self._ask("POST", "api/submit",
                  {"token": self._signed, "channel": channel.hash, "answers": answers})
