"""Endpoints of check runs."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from app.fakehub.deeds.checks import create_check_run, find_check_run, update_check_run
from app.fakehub.domain.accounts import App
from app.fakehub.errors import ApiError, unprocessable
from app.fakehub.render.checks import annotation_json, check_run_json
from app.fakehub.routes.bodies import CheckUpdate, NewCheck, given
from app.fakehub.routes.context import Page, RepositoryContext, There, listed

router = APIRouter(prefix="/repos/{owner}/{repo}")
_READ = ("checks", "read")


def _writing_app(there: RepositoryContext) -> App:
    there.require(("checks", "write"))
    if there.caller.app is None:
        raise ApiError(403, "You must authenticate via a GitHub App.")
    return there.caller.app


@router.post("/check-runs")
def create(there: There, body: NewCheck) -> JSONResponse:
    """checks/create."""
    app = _writing_app(there)
    run = create_check_run(there.forge, there.repository, app, given(body))
    return JSONResponse(check_run_json(there.forge, there.repository, run), status_code=201)


@router.get("/check-runs/{number:int}")
def get(there: There, number: int) -> JSONResponse:
    """checks/get."""
    there.require(_READ)
    run = find_check_run(there.repository, number)
    return JSONResponse(check_run_json(there.forge, there.repository, run))


@router.patch("/check-runs/{number:int}")
def update(there: There, number: int, body: CheckUpdate) -> JSONResponse:
    """checks/update; only the App that made a run may."""
    app = _writing_app(there)
    run = find_check_run(there.repository, number)
    if run.app is not app:
        text = (
            f"Invalid app_id `{app.id}` - check run can only be modified by the GitHub App that "
            "created it."
        )
        raise ApiError(403, text)
    update_check_run(there.forge, there.repository, run, given(body))
    return JSONResponse(check_run_json(there.forge, there.repository, run))


@router.get("/check-runs/{number:int}/annotations")
def annotations(there: There, page: Page, number: int) -> JSONResponse:
    """checks/list-annotations."""
    there.require(_READ)
    run = find_check_run(there.repository, number)
    rows = [annotation_json(there.forge, there.repository, run, one) for one in run.annotations]
    return listed(page, rows)


@router.get("/commits/{ref:path}/check-runs")
def list_for_ref(there: There, page: Page, ref: str, check_name: str = "") -> JSONResponse:
    """checks/list-for-ref, newest first."""
    there.require(_READ)
    sha = there.repository.git.resolve(ref)
    if sha is None:
        raise unprocessable(f"No commit found for SHA: {ref}")
    rows = [
        check_run_json(there.forge, there.repository, one)
        for one in reversed(list(there.repository.checks.values()))
        if one.head_sha == sha and check_name in ("", one.name)
    ]
    made = {"total_count": len(rows), "check_runs": list(page.cut(rows))}
    return JSONResponse(made, headers=page.links(len(rows)))
