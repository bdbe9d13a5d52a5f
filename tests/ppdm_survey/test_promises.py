"""Every sentence that promises a respondent something, and each row of threats, has its test."""

import re
from pathlib import Path

from ppdm_survey._schema import LANGUAGES, texts

ROOT = Path(__file__).parents[2]
#: The names of all tests.
TESTS = {name for path in (ROOT / "tests").rglob("test_*.py")
         for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)}

ONE_PRESS = "test_one_press_draws_and_sends_and_only_the_report_leaves"
ADDED_UP = "test_a_second_survey_at_one_address_waits_for_a_press_and_adds_up"
BOUND = "test_what_is_said_of_the_bound_follows_the_numbers"
OPEN = "test_before_begin_nothing_is_drawn_kept_or_sent"
BEGIN = "test_nothing_at_all_is_sent_before_begin_and_then_it_waits"
AGAIN = "test_where_errors_go_on_each_try_is_said_to_show_an_address"
RELOAD = "test_what_was_pressed_is_sent_after_a_reload_and_in_a_reopened_tab"
SHARED = "test_three_people_on_one_device_answer_and_none_sees_another_s_report"
REQUEST = "test_the_report_is_shown_on_request_and_a_second_visit_sends_nothing"
WHOSE = "test_another_link_does_not_cost_a_token"

PROMISES = {
    "coin.openTells": "test_a_channel_is_open_where_the_page_says_so_and_nowhere_else",
    "coin.disguiseRest": "test_a_channel_is_open_where_the_page_says_so_and_nowhere_else",
    "coin.sentenceRest": "test_the_bound_is_for_somebody_who_knows_the_open_answers",
    "coin.boundRest": "test_the_bound_is_for_somebody_who_knows_the_open_answers",
    "coin.pictureRest": "test_the_bound_is_for_somebody_who_knows_the_open_answers",
    "begin.again": OPEN,
    "begin.anew": "test_whoever_comes_to_a_page_that_was_begun_is_asked_and_begins_anew",
    "coin.free": ONE_PRESS, "coin.disguise": ONE_PRESS, "coin.press": RELOAD,
    "coin.bound": "test_everything_stored_moves_odds_by_epsilon_and_of_five_surveys_by_five",
    "coin.sentence": BOUND, "coin.picture": BOUND, "coin.hardly": BOUND, "coin.chance": BOUND,
    "coin.lot": OPEN, "coin.practice": ONE_PRESS, "coin.all": BOUND,
    "coin.print": "test_the_fingerprint_is_of_the_channel_and_of_every_byte_that_is_asked",
    "coin.sending": "test_what_was_pressed_is_sent_by_itself_whatever_fails_and_counts_once",
    "coin.arrived": REQUEST, "coin.beforeText": SHARED, "coin.kept": RELOAD, "coin.again": AGAIN,
    "another.sent": ADDED_UP, "another.total": ADDED_UP,
    "another.guided": "test_a_second_guided_survey_at_one_address_waits_for_a_press",
    "begin.text": BEGIN, "begin.open": OPEN, "begin.hold": BEGIN, "whose.text": WHOSE,
    "consent.script": OPEN,
    "consent.stored": "test_nothing_else_stands_beside_a_submission",
    "consent.public": "test_no_public_page_changes_before_an_epoch_ends",
    "page.invited": "test_the_operator_cannot_join_a_person_with_a_disguise",
    "page.open": "test_all_answers_but_one_read_that_one",
    "page.openLast": "test_a_tally_by_group_is_that_of_the_group_s_reports",
    "page.openFew": "test_open_answers_tell_whose_report_it_is",
}
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
