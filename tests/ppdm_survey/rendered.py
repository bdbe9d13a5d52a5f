"""The survey's page as its server renders it, without the server."""

from ppdm_survey._app import render


def rendered(survey, **given):
    """Return the page of an open survey that begins with clear records, unless told otherwise."""
    usual = {"access": "open", "hold": 0, "clear": True, "public": True, "guided": True}
    return render("survey.html", survey, ".", **usual | given)
