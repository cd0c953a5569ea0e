"""JSON of check runs and their annotations."""

from app.fakehub.domain.forge import Forge, Json
from app.fakehub.domain.records import CheckRun, Repository
from app.fakehub.render.accounts import app_json, node_id
from app.fakehub.render.repositories import repository_api, repository_page


def check_run_json(forge: Forge, repository: Repository, run: CheckRun) -> Json:
    """`check-run`."""
    url = f"{repository_api(forge, repository)}/check-runs/{run.id}"
    page = f"{repository_page(forge, repository)}/runs/{run.id}"
    return {
        "id": run.id,
        "head_sha": run.head_sha,
        "node_id": node_id("CheckRun", run.id),
        "external_id": run.external_id or "",
        "url": url,
        "html_url": page,
        "details_url": run.details_url or page,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": run.started_at,
        "completed_at": run.completed_at,
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": len(run.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "name": run.name,
        "check_suite": {"id": run.suite_id},
        "app": app_json(forge, run.app),
        "pull_requests": _pulls(forge, repository, run),
    }


def _pulls(forge: Forge, repository: Repository, run: CheckRun) -> list[Json]:
    api = repository_api(forge, repository)
    home = {"id": repository.id, "url": api, "name": repository.name}
    return [
        {
            "id": issue.pull.id,
            "number": issue.number,
            "url": f"{api}/pulls/{issue.number}",
            "head": {"ref": issue.pull.head_ref, "sha": run.head_sha, "repo": home},
            "base": {"ref": issue.pull.base_ref, "sha": issue.pull.base_sha, "repo": home},
        }
        for issue in list(repository.issues.values())
        if issue.pull is not None and issue.state == "open" and issue.pull.head_sha == run.head_sha
    ]


def annotation_json(forge: Forge, repository: Repository, run: CheckRun, given: Json) -> Json:
    """`check-annotation`; the fields that a client may leave out are null."""
    optional = ("start_column", "end_column", "title", "raw_details")
    return {
        **dict.fromkeys(optional),
        **given,
        "blob_href": f"{repository_page(forge, repository)}/blob/{run.head_sha}/{given['path']}",
    }
