"""What an epoch's guidance says of itself: its level, its hash, and the messages made of it."""

import hashlib
import json
import struct

import numpy as np
import pytest
from pydantic import ValidationError

from ppdm_survey import PublishedGuidance, guidance_hash

V = np.array([[0.6, -0.0], [0.8, 0.0], [0.0, 1.0]])


def published(**changes):
    return PublishedGuidance(**{"epoch": 3, "n_received": 200, "V": V, **changes})


def test_hash_is_that_of_the_words():
    head = b"ppdm-guidance-1\n3\n3\n2\n"
    doubles = struct.pack("<6d", 0.6, 0.0, 0.8, 0.0, 0.0, 1.0)
    wanted = hashlib.sha256(head + doubles).hexdigest()
    assert published().hash == guidance_hash(3, V + 0.0) == wanted
    assert guidance_hash(4, V + 0.0) != wanted


def test_messages_are_these_bytes():
    guidance = published()
    assert guidance.k == 2
    assert guidance.to_dict() == {"epoch": 3, "k": 2, "n_received": 200, "hash": guidance.hash}
    for token in ("first", "second"):
        assert guidance.message(token) == (
            f'{{"epoch":3,"k":2,"token":"{token}","hash":"{guidance.hash}",'
            '"V":[[0.6,0.0],[0.8,0.0],[0.0,1.0]]}'
        )


def test_message_has_what_the_description_says():
    described = PublishedGuidance.model_json_schema(mode="serialization")
    message = json.loads(published().message("token"))
    assert set(described["required"]) == set(described["properties"]) == set(message)


def test_guidance_does_not_change_and_is_itself_alone():
    guidance = published()
    with pytest.raises(ValidationError, match=r"epoch\n.*frozen"):
        guidance.epoch = 4
    assert guidance == guidance
    assert guidance != published()
    assert len({guidance, published()}) == 2


@pytest.mark.parametrize(("change", "message"), [
    ({"epoch": -1}, r"epoch\n.*greater than or equal to 0.*input_value=-1"),
    ({"epoch": 2**31}, r"epoch\n.*less than or equal to 2147483647"),
    ({"n_received": 1.5}, r"n_received\n.*valid integer.*input_value=1.5"),
    ({"V": [[1.0], [0.0, 1.0]]}, r"V\n"),
    ({"V": [["high"]]}, r"V\n.*could not convert string to float"),
])
def test_bad_guidance_is_refused_by_name(change, message):
    with pytest.raises(ValidationError, match=message):
        published(**change)
