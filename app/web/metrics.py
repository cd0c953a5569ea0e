"""Figures for a Prometheus server, read from the runs themselves at each scrape."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.runs.store import Store
from app.settings import WebSettings
from app.web import artifacts

router = APIRouter()
RECENT = 200
KINDS = {
    "rungs": ("rung", "Hunks of applied answers by the step that found their place"),
    "repairs": ("repair", "What was put right in hunks of applied answers"),
    "refusals": ("reason", "Refused answers by reason"),
}


class RecentRuns(Collector):
    """The newest runs: how they ended, and what the diff engine made of the answers."""

    def __init__(self, store: Store, settings: WebSettings) -> None:
        self._store, self._settings = store, settings

    def collect(self) -> Iterable[Metric]:
        """Gauges over the newest 200 runs."""
        rows = self._store.runs(limit=RECENT)
        ends = Counter((str(row.state), str(row.outcome or "")) for row in rows)
        runs = GaugeMetricFamily(
            "patchwright_recent_runs", "Runs by state and outcome", labels=("state", "outcome")
        )
        for (state, outcome), count in ends.items():
            runs.add_metric((state, outcome), count)
        yield runs
        ledgers = [artifacts.read(self._settings.run_dir(row.run_id)).ledger for row in rows]
        yield from _of_ledgers([ledger for ledger in ledgers if ledger])


def _of_ledgers(ledgers: list[dict[str, Any]]) -> Iterator[Metric]:
    for name, (label, text) in KINDS.items():
        total: Counter[str] = Counter()
        for ledger in ledgers:
            total.update(ledger.get(name) or {})
        gauge = GaugeMetricFamily(f"patchwright_recent_{name}", text, labels=(label,))
        for word, count in sorted(total.items()):
            gauge.add_metric((word,), count)
        yield gauge


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """The text format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(RecentRuns(request.app.state.store, request.app.state.settings))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)
