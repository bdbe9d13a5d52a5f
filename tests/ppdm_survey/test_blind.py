"""Blind signatures by the RFC's own numbers, and the vendored file by its own checksum."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from blinding import Blinded
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from ppdm_survey import BadTokenError, SurveyError
from ppdm_survey import _tokens as blind
from ppdm_survey._schema import STATIC

VECTOR = json.loads((Path(__file__).parent / "rfc9474.json").read_text(encoding="ascii"))


def number(name):
    return int(VECTOR[name], 16)


@pytest.fixture(scope="module")
def theirs():
    """The signer of the RFC's appendix A.1, and its modulus."""
    p, q = number("p"), number("q")
    d = pow(65537, -1, (p - 1) * (q - 1))
    public = rsa.RSAPublicNumbers(65537, p * q)
    key = rsa.RSAPrivateNumbers(p, q, d, rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q),
                                rsa.rsa_crt_iqmp(p, q), public).private_key()
    der = key.private_bytes(serialization.Encoding.DER, serialization.PrivateFormat.PKCS8,
                            serialization.NoEncryption())
    return blind.BlindSigner(der), p * q


@pytest.fixture(scope="module")
def signer():
    return blind.BlindSigner(blind.new_key())


def test_the_rfc_s_blind_signature(theirs):
    signer, _ = theirs
    assert signer.sign(bytes.fromhex(VECTOR["blinded_msg"])).hex() == VECTOR["blind_sig"]


def test_the_rfc_s_signature_out_of_it(theirs):
    _, n = theirs
    signature = bytes.fromhex(VECTOR["sig"])
    nonce = bytes.fromhex(VECTOR["msg"])
    mine = Blinded(b"", nonce, number("inv"), n, 65537)
    token = mine.token(bytes.fromhex(VECTOR["blind_sig"]))
    assert token == blind.encode(nonce + signature.rjust(512, b"\0"))
    # and blinding is that of the RFC: the encoding is in the signature, r is the inverse's
    encoded = pow(number("sig"), 65537, n)
    assert encoded * pow(pow(number("inv"), -1, n), 65537, n) % n == number("blinded_msg")


def test_a_token_is_known_and_no_other_is(signer):
    mine = Blinded.draw(signer.jwk())
    token = mine.token(signer.sign(mine.message))
    assert signer.check(token) == mine.nonce
    raw = blind.decode(token)
    other = blind.BlindSigner(blind.new_key())
    for wrong in (raw[:-1], raw + b"\0", b"\1" + raw[1:], raw[:-1] + bytes([raw[-1] ^ 1]), b""):
        with pytest.raises(BadTokenError, match="one that an invitation was exchanged for"):
            signer.check(blind.encode(wrong))
    for asked, text in ((other, token), (signer, token + "A"), (signer, "é"), (signer, None)):
        with pytest.raises(BadTokenError):
            asked.check(text)
    with pytest.raises(ValueError, match="blind signature must be one of the published key"):
        mine.token(other.sign(b"\1" * 256))  # below every key's modulus, as mine need not be


def test_what_is_no_number_of_the_key_is_not_signed(signer):
    for wrong in (b"", b"\0" * 255, signer.n.to_bytes(256, "big"), b"\xff" * 256, b"\0" * 257):
        with pytest.raises(SurveyError, match="blinded must be 256 bytes below"):
            signer.sign(wrong)


def test_a_fault_in_the_power_is_not_sent(signer, monkeypatch):
    # with one of its two halves wrong a signature would give the key's factors away
    monkeypatch.setattr(blind.BlindSigner, "_power", lambda self, z: z)
    with pytest.raises(RuntimeError, match="does not verify"):
        signer.sign(b"\1" * 256)


@pytest.mark.parametrize("bits", [1024, 3072])
def test_a_key_of_another_size_is_refused(bits):
    key = rsa.generate_private_key(65537, bits).public_key().public_numbers()
    jwk = {"n": blind.encode(key.n.to_bytes(bits // 8, "big")), "e": "AQAB"}
    with pytest.raises(ValueError, match="2048 bits"):
        Blinded.draw(jwk)
    with pytest.raises(ValueError, match="exponent 65537"):
        Blinded.draw({"n": blind.encode(b"\xff" * 256), "e": "Aw"})


def test_the_vendored_file_is_the_one_described():
    folder = STATIC / "vendor"
    told = (folder / "README.md").read_text(encoding="utf-8")
    (digest,) = re.findall(r"\b[0-9a-f]{64}\b", told)
    script = (folder / "blindrsa.js").read_bytes()
    assert hashlib.sha256(script).hexdigest() == digest
    # nothing in it speaks with anybody, or makes code of texts
    for word in (b"fetch(", b"XMLHttpRequest", b"eval(", b"new Function", b"import(", b"WebSocket"):
        assert word not in script
