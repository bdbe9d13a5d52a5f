"""Which of scikit-learn's checks feed what is no code, and where the same is tested on codes.

A check is declared only because its own data are no bits or no codes: an estimator of codes must
refuse them, and says so ("must hold", "a category never seen", "a bit for each value"). In
``ON_CODES`` is scikit-learn's own check once more, on the class itself, its data coded. The other
tests stand where a check makes data that cannot be coded for it.
"""


from ppdm import classifiers as learn
from ppdm import randomized_response as rr
from ppdm.generation import GaussianSampleGenerator, PrivateTreeGenerator, SampleGenerator
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise
from ppdm.svd import SparsifiedSVDPerturbation, TruncatedSVDPerturbation
from ppdm.tree import CountTreeClassifier

MANY = rr.CategoricalRandomizedResponse(64, 0.9).channel_matrix()

ESTIMATORS = [
    rr.RandomizedResponse(0.8, random_state=0),
    rr.CategoricalRandomizedResponse(64, 0.7, random_state=0),
    rr.CategoricalRandomizedResponse(64, epsilon=3.0, random_state=0),
    rr.UnaryEncoding(64, 1.0, random_state=0),
    rr.CategoricalRandomizedResponse(64, 0.7, asked=1, random_state=0),
    rr.UnaryEncoding(64, 1.0, asked=1, random_state=0),
    rr.MixedResponse(rr.UnaryEncoding(64), epsilon=3.0, asked=1, random_state=0),
    PrivateTreeGenerator(64, random_state=0),
    CountNB(),
    learn.RandomizedResponseNB(rr.RandomizedResponse(0.9)),
    learn.RandomizedResponseNB(MANY),
    learn.RandomizedResponseTreeClassifier(rr.RandomizedResponse(0.9)),
    learn.GuidedNB([3]),
    learn.GuidedTreeClassifier([3]),
    learn.MixtureTreeClassifier(AdditiveNoise("gaussian", scale=0.1), n_passes=4, random_state=0),
    learn.DisguisedClassifier(AdditiveNoise("gaussian", scale=0.1, random_state=0)),
]
#: Of real numbers: nothing is declared, every check must pass.
OF_REAL_NUMBERS = [
    *(CountTreeClassifier(n_intervals=n) for n in (100, None)),
    CountTreeClassifier(criterion="entropy", split="multiway", n_intervals=10),
    *(CountTreeClassifier(pruning=pruning) for pruning in ("sliq", "stochastic")),
    *(cls(k) for cls in (TruncatedSVDPerturbation, SparsifiedSVDPerturbation) for k in (1, 2)),
    SparsifiedSVDPerturbation(1, 0.3),
    SampleGenerator(),
    GaussianSampleGenerator(),
]

GUIDED = (learn.GuidedNB, learn.GuidedTreeClassifier)
#: Naive Bayes is of bits where it is told coins, and else of codes.
OF_COINS, OF_CODES = ((learn.RandomizedResponseNB, coins) for coins in (True, False))
BITS = (rr.RandomizedResponse, OF_COINS, learn.RandomizedResponseTreeClassifier)
COUNTING = (OF_COINS, learn.GuidedNB)
#: Their weights say how often a record came.
REPEATED = (learn.RandomizedResponseTreeClassifier, learn.GuidedTreeClassifier)
CODES = (CountNB, OF_CODES)

ON_CODES = "test_the_same_check_on_codes"
MORE = "whole numbers above 1 are no bits"
REAL = "real numbers are no codes"

#: Checks: the classes for which they are declared, why, and the test of the same on codes.
ROWS = [
    ("estimators_overwrite_params dont_overwrite_parameters estimators_fit_returns_self "
     "readonly_memmap_input n_features_in_after_fitting estimators_dtypes dict_unchanged "
     "f_contiguous_array_estimator fit2d_1sample fit2d_1feature fit2d_predict1d fit_idempotent "
     "fit_check_is_fitted n_features_in", BITS + GUIDED, MORE, ON_CODES),
    ("transformer_data_not_an_array transformer_general", BITS[:1], MORE, ON_CODES),
    ("sample_weights_pandas_series sample_weights_not_an_array all_zero_sample_weights_error",
     COUNTING + REPEATED, MORE, ON_CODES),
    ("estimators_partial_fit_n_features", COUNTING, MORE, ON_CODES),
    ("classifier_data_not_an_array classifiers_classes classifiers_train "
     "methods_sample_order_invariance methods_subset_invariance",
     BITS[1:] + GUIDED, MORE, ON_CODES),
    ("requires_y_none classifiers_regression_target", BITS[2:] + GUIDED, MORE, ON_CODES),
    ("dtype_object", GUIDED, "ten columns are no tuple of three bits", ON_CODES),
    ("sample_weights_shape", COUNTING + REPEATED, MORE, "test_weights_of_another_shape"),
    ("sample_weights_not_overwritten", COUNTING + REPEATED, MORE, "test_weights_are_kept"),
    ("sample_weight_equivalence_on_dense_data", COUNTING + CODES + REPEATED, REAL,
     "test_a_weight_is_so_many_records"),
    ("classifiers_one_label_sample_weights", COUNTING + CODES + REPEATED, REAL,
     "test_one_class_is_left_by_the_weights"),
]  # fmt: skip
DECLARED = {f"check_{name}": tuple(row) for names, *row in ROWS for name in names.split()}


def row_of(estimator, check_name):
    """Return the reason and the test, or None where the check is to pass as it is."""
    classes, reason, test = DECLARED.get(check_name, ((), "", ""))
    kind = type(estimator)
    if kind is learn.RandomizedResponseNB:
        kind = kind, isinstance(estimator.scheme, rr.RandomizedResponse)
    return (reason, test) if kind in classes else None
