"""What the long runs share: databases, and the server as a process."""

import pytest
from survey_server import own_postgresql, postgresql_binaries


@pytest.fixture(scope="session")
def cluster():
    binaries = postgresql_binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed (Debian's package: postgresql)")
    with own_postgresql(binaries) as cluster:
        yield cluster


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/survey.sqlite"
    return request.getfixturevalue("cluster").new_database()


@pytest.fixture(params=["guided", "coin"])
def scheme(request):
    return request.param
