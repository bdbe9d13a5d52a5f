"""Plausible wrong answers, and the points that each must cost.

``OTHER_WAY`` names what the seed decides: the answer and the test that it is worth.
"""

from sheets import Mistake

OTHER_WAY = {
    "1_roles": ("promise", "holds_for", "test_record_epsilon"),
    "2_reconstruction": ("smoothing", "better", "test_better"),
}

MISTAKES = {
    "1_roles": [
        Mistake("a sign error in the inverse", "estimate_share",
                "(2 * theta - 1)", "(1 - 2 * theta)", {"test_share"}),
        Mistake("the share of the reports as they are", "estimate_share",
                "(np.mean(reports) - (1 - theta)) / (2 * theta - 1)", "np.mean(reports)",
                {"test_share"}),
        Mistake("cut to [0, 1]", "estimate_share",
                "return (np.mean(reports) - (1 - theta)) / (2 * theta - 1)",
                "return np.clip((np.mean(reports) - (1 - theta)) / (2 * theta - 1), 0, 1)",
                {"test_share"}),
        Mistake("the error of reports that were not disguised", "standard_error",
                "/ abs(2 * theta - 1)", "", {"test_error"}),
        Mistake("an error below zero", "standard_error",
                "abs(2 * theta - 1)", "(2 * theta - 1)", {"test_error"}),
        Mistake("the prior forgotten", "adversary",
                "prior * if_yes / (prior * if_yes + (1 - prior) * (1 - if_yes))", "if_yes",
                {"test_posterior"}),
        Mistake("logarithm to base 2", "adversary", "np.log(", "np.log2(", {"test_epsilon"}),
        Mistake("the epsilon of one answer taken for the record's", "promise",
                "np.inf if together else 4 * answer_epsilon", "answer_epsilon",
                {"test_record_epsilon"}),
    ],
    "2_reconstruction": [
        Mistake("the prior left out", "step", "joint = matrix * shares", "joint = matrix * 1.0",
                {"test_step", "test_iterate", "test_late"}),
        Mistake("a division by zero", "step",
                "np.divide(joint, reached, out=np.zeros_like(joint), where=reached > 0)",
                "joint / reached", {"test_step"}),
        Mistake("one step too many", "iterate", "range(steps)", "range(steps + 1)",
                {"test_iterate", "test_late"}),
        Mistake("a clipped histogram", "late", "iterate(matrix, counts, 25)[12:].sum() * len(reports)",
                "(np.clip(reports, 0, 10) >= 6).sum()", {"test_late"}),
        Mistake("the share for the number", "late", " * len(reports)", "", {"test_late"}),
        Mistake("the whole sum of differences", "smoothing", ".sum() / 2", ".sum()", {"test_errors"}),
    ],
}  # fmt: skip
