"""Jobs in fresh Docker containers with any OCI runtime: bounded, drained, always removed."""

import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import Any

import docker
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.utils.socket import frames_iter
from requests.exceptions import RequestException

from sandbox.executor import archive, owner
from sandbox.executor.limits import ENVIRONMENT, USER, host_config, read_back
from sandbox.executor.model import Finished, Isolation, Job, Limits, SandboxError, never
from sandbox.executor.probe import examine
from sandbox.executor.watchdog import Watchdog
from sandbox.images import ImageError, ImageRef, Progress, ensure

REPORTS = "/report"
# The container outlives its bot by no more than a moment: when the attach socket closes, stdin
# ends and everything of the runner's is killed.
LIFELINE = (
    'exec 3<&0; (cat <&3 >/dev/null; kill -9 -1) & "$@" </dev/null 3<&-; status=$?; '
    "kill -9 $! 2>/dev/null; exit $status"
)


class DockerExecutor:
    """Runs jobs on the engine that the environment names, one fresh container each."""

    def __init__(self, base_url: str | None = None) -> None:
        self._base_url = base_url
        self._local = threading.local()
        asked = self._connect("auto")
        self._version = asked.api_version
        asked.close()

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = docker.utils.kwargs_from_env()
        if self._base_url:
            settings["base_url"] = self._base_url
        return {"timeout": 90, **settings}

    def _connect(self, version: str) -> docker.APIClient:
        try:
            return docker.APIClient(version=version, **self._settings())
        except DockerException as error:
            raise SandboxError(
                "No Docker engine answers. Start one (`make engine` does it on Debian and "
                f"Ubuntu) or point DOCKER_HOST at one. The engine said: {error}"
            ) from error

    @property
    def api(self) -> docker.APIClient:
        """A client of this thread's own: its connection pool is not shared."""
        client = getattr(self._local, "client", None)
        if client is None:
            client = self._local.client = self._connect(self._version)
        return client

    def run(self, job: Job, limits: Limits, *, stopped: Callable[[], bool] = never) -> Finished:
        """Run one job to its end and remove its container.

        Raises `SandboxError` when the engine fails or did not take the limits as asked.
        """
        with _as_sandbox_error(), self._container(job, limits) as (container, facts):
            laid = self._lay(container, job)
            began = monotonic()
            output, watchdog = self._drain(
                container, replace(limits, disk=limits.disk + laid), stopped
            )
            state = self._await_end(container)
            files, report_capped = self._collect(container, job, limits)
            return Finished(
                exit_status=int(state["ExitCode"]),
                output=output,
                files=files,
                container=facts,
                seconds=monotonic() - began,
                timed_out=watchdog.reason == "seconds",
                output_capped=watchdog.reason == "output" or report_capped,
                disk_capped=watchdog.reason == "disk",
                out_of_memory=bool(state.get("OOMKilled")),
                stopped=watchdog.reason == "stopped",
            )

    def _lay(self, container: str, job: Job) -> int:
        """Put the job's files into the container; their bytes, which are not the job's doing."""
        with tempfile.TemporaryFile() as packed:
            try:
                archive.pack(job, packed)
            except OSError as error:
                raise SandboxError(f"The files of {job.tree} cannot be read: {error}") from error
            size = packed.tell()
            packed.seek(0)
            self.api.put_archive(container, "/", packed)
            return size

    @contextmanager
    def _container(self, job: Job, limits: Limits) -> Iterator[tuple[str, dict[str, Any]]]:
        name = self.api.create_container(
            job.image,
            command=["/bin/sh", "-c", LIFELINE, "job", *job.argv],
            user=USER,
            working_dir="/repo",
            environment={**ENVIRONMENT, **job.env},
            stdin_open=True,
            labels=owner.labels(job.run_id),
            host_config=self.api.create_host_config(**host_config(limits)),
        )["Id"]
        try:
            yield name, read_back(self.api.inspect_container(name), limits)
        finally:
            self._remove(name)

    def _remove(self, container: str) -> None:
        try:
            self.api.remove_container(container, force=True, v=True)
        except NotFound:
            return
        except APIError as error:
            if error.status_code != 409:  # 409: a removal is already under way
                raise

    def _drain(
        self, container: str, limits: Limits, stopped: Callable[[], bool]
    ) -> tuple[bytes, Watchdog]:
        """Attach, start and read to the end; the watchdog kills from a thread of its own."""
        channels = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        attached = self.api.attach_socket(container, params=channels)
        kept = bytearray()
        try:
            with Watchdog(self._connect(self._version), container, limits, stopped) as watchdog:
                self.api.start(container)
                for _, chunk in frames_iter(attached, tty=False):
                    kept += chunk[: max(limits.output - len(kept), 0)]
                    watchdog.count(len(chunk))
        finally:
            _hang_up(attached)
        return bytes(kept), watchdog

    def _await_end(self, container: str) -> Mapping[str, Any]:
        self.api.wait(container, timeout=60)
        state: Mapping[str, Any] = self.api.inspect_container(container)["State"]
        return state

    def _collect(
        self, container: str, job: Job, limits: Limits
    ) -> tuple[Mapping[str, bytes], bool]:
        if not job.collect:
            return {}, False
        try:
            chunks, _ = self.api.get_archive(container, REPORTS)
        except NotFound:
            return {}, False
        return archive.unpack(chunks, job.collect, limits.report)

    def probe(self, image: str, limits: Limits) -> Isolation:
        """What the engine and the inside of a probe container say of the isolation asked for."""
        return examine(self, image, limits)

    def kernel(self) -> str:
        """The kernel release of the engine's host."""
        with _as_sandbox_error():
            return str(self.api.version().get("KernelVersion", ""))

    def runtimes(self) -> Mapping[str, Any]:
        """The runtimes the engine knows, with path and arguments."""
        with _as_sandbox_error():
            found: Mapping[str, Any] = self.api.info().get("Runtimes") or {}
            return found

    def image(self, toolchain: str, progress: Progress) -> ImageRef:
        """The image of a toolchain, made first where it is missing."""
        with _as_sandbox_error():
            client = docker.DockerClient(version=self._version, **self._settings())
            try:
                return ensure(client, toolchain, progress)
            except ImageError as error:
                raise SandboxError(str(error)) from error
            finally:
                client.close()

    def close(self) -> None:
        """Let go of this thread's connection to the engine."""
        client = self._local.__dict__.pop("client", None)
        if client is not None:
            client.close()

    def sweep(self) -> int:
        """Remove the containers of processes that are gone; returns how many there were."""
        with _as_sandbox_error():
            labelled = {"label": owner.OWNER}
            orphans = [
                found["Id"]
                for found in self.api.containers(all=True, filters=labelled)
                if owner.is_gone(found["Labels"])
            ]
            for orphan in orphans:
                self._remove(orphan)
            return len(orphans)


def _hang_up(attached: Any) -> None:  # noqa: ANN401 - what the SDK hands out has no type
    """Close the hijacked connection with all that the SDK hung on it."""
    connection = getattr(attached, "_sock", None)
    attached._response.close()  # the SDK keeps the response there
    attached.close()
    if connection is not None:
        connection.close()


@contextmanager
def _as_sandbox_error() -> Iterator[None]:
    try:
        yield
    except ImageNotFound as error:
        raise SandboxError(
            f"The sandbox image is not on the engine (`make image` builds it): {error.explanation}"
        ) from error
    except APIError as error:
        raise SandboxError(f"The Docker engine refused: {error.explanation}") from error
    except (DockerException, RequestException, OSError) as error:
        raise SandboxError(f"The Docker engine did not answer: {error}") from error
