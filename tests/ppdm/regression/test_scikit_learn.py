"""scikit-learn's checks of both regressions, where answers and covariates are clear."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from ppdm.regression import DisguisedLinearRegression, DisguisedLogisticRegression

#: What cannot hold, and where the same is tested on other data.
DECLARED = {
    "check_sample_weight_equivalence_on_dense_data":
        "15 people of 10 covariates are told apart by clear answers, so that no finite maximum or "
        "no inverse is there: test_whole_weights_are_repeated_people_who_share_a_cluster",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.UnidentifiedWarning")
@parametrize_with_checks(
    [
        DisguisedLogisticRegression(),
        DisguisedLogisticRegression(prior_sd=2.5),
        DisguisedLinearRegression(),
    ],
    expected_failed_checks=lambda _: DECLARED,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
