"""Every sentence that promises a respondent something, and each row of threats, has its test."""

import re
from pathlib import Path

from ppdm_survey._schema import LANGUAGES, texts

ROOT = Path(__file__).parents[2]
#: The names of all tests.
TESTS = {name for path in (ROOT / "tests").rglob("test_*.py")
         for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)}

#: Of each test the sentences that it shows.
SHOWN = {
    "test_a_channel_is_open_where_the_page_says_so_and_nowhere_else":
        "coin.openTells coin.disguiseRest",
    "test_the_bound_is_for_somebody_who_knows_the_open_answers":
        "coin.sentenceRest coin.boundRest coin.pictureRest",
    "test_before_begin_nothing_is_drawn_kept_or_sent":
        "begin.again coin.lot begin.open consent.script",
    "test_whoever_comes_to_a_page_that_was_begun_is_asked_and_begins_anew": "begin.anew",
    "test_one_press_draws_and_sends_and_only_the_report_leaves":
        "coin.free coin.disguise coin.practice",
    "test_what_was_pressed_is_sent_after_a_reload_and_in_a_reopened_tab": "coin.press coin.kept",
    "test_everything_stored_moves_odds_by_epsilon_and_of_five_surveys_by_five": "coin.bound",
    "test_what_is_said_of_the_bound_follows_the_numbers":
        "coin.sentence coin.picture coin.hardly coin.chance coin.all",
    "test_the_fingerprint_is_of_the_channel_and_of_every_byte_that_is_asked": "coin.print",
    "test_what_was_pressed_is_sent_by_itself_whatever_fails_and_counts_once": "coin.sending",
    "test_the_report_is_shown_on_request_and_a_second_visit_sends_nothing": "coin.arrived",
    "test_three_people_on_one_device_answer_and_none_sees_another_s_report": "coin.beforeText",
    "test_where_errors_go_on_each_try_is_said_to_show_an_address": "coin.again",
    "test_a_second_survey_at_one_address_waits_for_a_press_and_adds_up":
        "another.sent another.total",
    "test_a_second_guided_survey_at_one_address_waits_for_a_press": "another.guided",
    "test_nothing_at_all_is_sent_before_begin_and_then_it_waits": "begin.text begin.hold",
    "test_another_link_does_not_cost_a_token": "whose.text",
    "test_nothing_else_stands_beside_a_submission": "consent.stored",
    "test_no_public_page_changes_before_an_epoch_ends": "consent.public",
    "test_the_operator_cannot_join_a_person_with_a_disguise": "page.invited",
    "test_all_answers_but_one_read_that_one": "page.open",
    "test_a_tally_by_group_is_that_of_the_group_s_reports": "page.openLast",
    "test_open_answers_tell_whose_report_it_is": "page.openFew",
}
PROMISES = {key: test for test, keys in SHOWN.items() for key in keys.split()}
#: Names of things, and what is a title of a sentence above.
NAMES = {"coin.title", "coin.tosses", "coin.submit", "coin.notAsked",
         "coin.before", "begin.title", "whose.title"}


def test_each_sentence_of_the_coin_is_in_the_table_with_a_test_that_is_there():
    for language in LANGUAGES:
        said = {f"{group}.{name}" for group in ("coin", "another", "begin", "whose")
                for name in texts(language)[group]}
        assert said - NAMES <= PROMISES.keys()
        known = {f"{group}.{name}" for group, part in texts(language).items()
                 if isinstance(part, dict) for name in part}
        assert PROMISES.keys() | NAMES <= known
    assert set(PROMISES.values()) <= TESTS


def test_each_threat_names_a_test_that_is_there():
    text = (ROOT / "book" / "api" / "survey.md").read_text(encoding="utf-8")
    lines = text[text.index("| Who, and what | Stopped?") :].partition("\n\n")[0].splitlines()
    head, _, *rows = [line.strip("| ").split("|") for line in lines]
    assert head[-1].strip() == "Shown by"
    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row[-1])
        assert named, f"no test is named: {row[0]}"
        assert set(named) <= TESTS, f"there is no such test: {set(named) - TESTS}"
