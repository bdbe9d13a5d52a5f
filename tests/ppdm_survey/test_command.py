"""``python -m ppdm_survey``: what it refuses."""

import json
import socket

import pytest
from collecting import refusal

from ppdm_survey.__main__ import _parser, main

COIN = ["--epsilon", "2", "--asked", "1"]
GUIDED = ["--scheme", "guided"]

#: Numbers that the server and ``check`` both take: an option that is wrong, and what is said of it.
WRONG = [([*given, option, value], message) for given, option, message, values in [
    (COIN, "--margin", "margin must be a share in (0, 1), 0.05 is five points", "5 1 0 -1 nan inf"),
    (["--asked", "1"], "--epsilon", "epsilon must be at least 0.0001", "0 -1 1e-300 nan"),
    (["--people", "90"], "--epsilon", "epsilon must be at least 0.0001", "0 -1 1e-300 nan"),
    (["--asked", "1"], "--epsilon", "epsilon must be at most 20", "20.1 inf"),
    (["--asked", "1"], "--odds", "odds must be > 1", "1 0 -2 nan"),
    (["--asked", "1"], "--odds", "epsilon must be at most 20", "1e300 inf"),
    (["--epsilon", "2"], "--asked", "asked must be in [1, 17]", "0 -1 18"),
    (["--epsilon", "2"], "--people", "people must be at least 2", "0 1 -5"),
    (GUIDED, "--people", "people must be at least 2", "0 1 -5"),
    (COIN, "--seed", "seed must not be negative", "-1"),
    (GUIDED, "--seed", "seed must not be negative", "-1"),
    (COIN, "--batch-size", "batch_size", "0 -1 49"),
    (GUIDED, "--batch-size", "batch_size", "0 -1 49"),
    (GUIDED, "--mu", "mu must be", "2 0 nan"),
    (GUIDED, "--random-start", "random_start must be at least 0", "-1"),
    (GUIDED, "--random-start", "say --clear-volunteers", "0"),
] for value in values.split()]


def test_each_number_that_both_commands_take_is_among_the_wrong_ones():
    numbers = {one.option_strings[0] for one in _parser()._actions if one.type is not None}
    of_the_server = {"--port", "--hold", "--simulate"}
    assert {options[-2] for options, _ in WRONG} == numbers - of_the_server


@pytest.mark.parametrize("command", [["check"], ["--port", "0"]])
@pytest.mark.parametrize(("options", "message"), WRONG)
def test_what_the_server_refuses_check_refuses(command, options, message, tmp_path, monkeypatch,
                                               capsys):
    """Of --margin 5, points, ``check`` said that "+- 500 takes 0 people"."""
    monkeypatch.chdir(tmp_path)
    assert main([*command, *options]) == 2
    out, said = capsys.readouterr()
    assert said.count("\n") == 1
    assert said.startswith("python -m ppdm_survey: ")
    assert message in said
    assert "takes" not in out
    # of 49 the store says first whether it was begun so
    assert "49" in options or not list(tmp_path.iterdir())


@pytest.mark.parametrize(("options", "message"), [
    ([*COIN, "--simulate", "--access", "invitation"], "simulate needs access 'open'"),
    ([*COIN, "--simulate", "0"], "simulate must be a number > 0, got 0.0"),
    ([*COIN, "--simulate", "-1"], "simulate must be a number > 0, got -1.0"),
    ([*COIN, "--simulate", "nan"], "simulate must be a number > 0, got nan"),
    ([*COIN, "--hold", "5"], "hold must be left out where access is open"),
    ([*COIN, "--access", "invitation", "--hold", "1"], "hold must be a finite number >= 2, got 1"),
    *(([*COIN, *words], f"a command must come first, and an option be one that --help has, got "
       f"{words}") for words in (["export", "res"], ["check"], ["--colour", "red"])),
    ([], "say --epsilon or --odds"),
    (["--epsilon", "2"], "(--asked, --people)"),
    (["--epsilon", "2", "--odds", "3", "--asked", "1"], "one of them"),
    (["--survey", "none.json"], "none.json"),
    ([*COIN, "--database", "nonsense"], "nonsense"),
    ([*COIN, "--database", "sqlite:///"], "write sqlite:///FILE"),
    ([*COIN, "--port", "70000"], "port must be in [0, 65535], got 70000"),
    ([*COIN, "--database", "sqlite:////no/such/folder/survey.sqlite"], "cannot lock"),
])
def test_what_cannot_be_served_is_said_in_one_line(options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    # 8008 may be taken where the tests run
    assert message in refusal(capsys, "--port", "0", *options)
    assert "--hold" in options or not list(tmp_path.iterdir())  # nothing was stored


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_that_is_taken_is_said_before_anything_else(host, tmp_path, monkeypatch, capsys):
    """The addresses were printed first, then "[Errno 98]", and an empty database stayed."""
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main([*COIN, "--host", host, "--port", str(port)]) == 2
    out, said = capsys.readouterr()
    assert out == ""
    assert said == (f"python -m ppdm_survey: port {port} is taken, perhaps by another survey: "
                    f"give another one, --port {port + 1}\n")
    assert list(tmp_path.iterdir()) == []


PLAIN = {"title": "T", "attributes": [{"name": "a", "label": "A", "values": ["n", "y"]}],
         "class": {"name": "c", "label": "C", "values": ["n", "y"]}}


@pytest.mark.parametrize(("text", "messages"), [
    ("{", ["{path}, line 1: Expecting property name"]),
    ('{"title": 3, "attributes": [], "class": {}}',
     ["title: must be text, in quotes, got 3", "attributes: must have 1 or more, got 0",
      "class.name: must be there", "class.label: must be there", "class.values: must be there"]),
    (json.dumps({**PLAIN, "colour": "{red}", "attributes": [
        {"name": "my age", "label": "A", "values": ["n"], "hint": "{"},
        {"name": "b", "label": "B", "values": [1, "{"]}]}),
     ["attributes.0.name: must have letters, digits, . _ -, a letter first, got 'my age'",
      "attributes.0.values: must have 2 or more, got 1",
      "attributes.0.hint: is not a key of a survey",
      "attributes.1.values.0: must be text, in quotes, got 1",
      "colour: is not a key of a survey"]),
    (json.dumps({**PLAIN, "attributes": [{**PLAIN["attributes"][0], "label": " "}]}),
     ["attributes.0.label: label must not be empty, got ' '"]),
    (json.dumps({**PLAIN, "introduction": None}),
     ["introduction: must be text, in quotes, got None"]),
    (json.dumps({**PLAIN, "operator": None}), ["operator: must be text, in quotes, got None"]),
    (json.dumps({**PLAIN, "class": [PLAIN["class"], PLAIN["class"]]}),
     ["class: class must be one question with two values, because two groups are compared, "
      "got a list of 2: ask the others as attributes"]),
    (json.dumps({**PLAIN, "class": {**PLAIN["class"], "values": ["a", "b", "c"]}}),
     ["the survey: class must be one question with two values, because two groups"]),
    ("[]", ["the survey: Input should be a valid dictionary"]),
])
def test_a_file_that_is_no_survey_is_refused_whole(text, messages, tmp_path, capsys):
    # a line for each fault, and nothing else
    path = tmp_path / "survey.json"
    path.write_text(text, encoding="utf-8")
    options = ["--survey", str(path), "--database", "sqlite://"]
    assert main([*options, "--scheme", "guided"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(messages)
    for line, message in zip(said, messages, strict=True):
        assert line.startswith(f"python -m ppdm_survey: {message.replace('{path}', str(path))}")
