#!/bin/sh
# Makes sure that a Docker engine answers. One that does is used as it is, nothing of it touched.
# Else, as root on Debian or Ubuntu: installs one, tells it of its runtimes, starts it.
#
# For an engine beside the usual one (tests do this):
#   PATCHWRIGHT_ENGINE_RUN      where its socket, process ids and state are, /var/run unless set
#   PATCHWRIGHT_ENGINE_CONFIG   its daemon.json, /etc/docker/daemon.json unless set
#   PATCHWRIGHT_ENGINE_LOG      its log when started here, /var/log/patchwright-dockerd.log unless set
#   PATCHWRIGHT_ENGINE_OPTIONS  more options for dockerd
set -eu
cd "$(dirname "$0")/../.."
. manifests/deploy/steps.sh

run=${PATCHWRIGHT_ENGINE_RUN:-/var/run}
socket=$run/docker.sock
pidfile=$run/docker.pid
config=${PATCHWRIGHT_ENGINE_CONFIG:-/etc/docker/daemon.json}
engine_log=${PATCHWRIGHT_ENGINE_LOG:-/var/log/patchwright-dockerd.log}
address=${DOCKER_HOST:-unix://$socket}
answer=

# The SDK asks, as Patchwright itself does: it knows DOCKER_HOST and needs no docker command.
answers() {
	answer=$(DOCKER_HOST=$address .venv/bin/python -c '
import sys
import docker
from docker.errors import DockerException
try:
    print(docker.from_env(timeout=20).version()["Version"])
except DockerException as error:
    sys.exit(str(error))
' 2>&1)
}

refuse_what_is_not_ours() {
	case $answer in *"Permission denied"*)
		fail "The Docker engine at $address does not let $(id -un) in: add yourself to the group docker, log in again and repeat." ;;
	esac
	[ "$address" = "unix://$socket" ] ||
		fail "DOCKER_HOST names $address, but no engine answers there: start it, or unset DOCKER_HOST."
	can_install ||
		fail "No Docker engine answers: install and start Docker (Docker Desktop on macOS; the package docker.io on Debian and Ubuntu), then repeat."
}

install_engine() {
	command -v dockerd >/dev/null && return 0
	has_package docker.io || fetch_lists
	# First all that the engine wants to find when its package starts it.
	apt_install iptables || fail "apt-get could not install iptables, which the Docker engine needs."
	if has_package runsc; then apt_install runsc || say "Going on without gVisor (runsc)."; fi
	write_config
	apt_install docker.io || fail "apt-get could not install docker.io: see above."
	if has_package docker-cli; then apt_install docker-cli || true; fi
}

# ptrace works on every host, nested ones too. gVisor's own network stack is not for code under test.
write_config() {
	[ ! -e "$config" ] && command -v runsc >/dev/null || return 0
	mkdir -p "$(dirname "$config")"
	cat >"$config" <<END
{"runtimes": {"runsc": {"path": "$(command -v runsc)", "runtimeArgs": ["--platform=ptrace", "--network=none"]}}}
END
	say "Wrote $config: the runtime runsc beside the default one."
}

mount_cgroups() {
	grep -q ' /sys/fs/cgroup.* cgroup' /proc/self/mounts && return 0
	apt_install cgroupfs-mount && cgroupfs-mount ||
		fail "No cgroups are mounted under /sys/fs/cgroup: the Docker engine cannot start without."
}

# lives FILE NAME: whether the process whose id FILE holds is a living NAME. One that was killed
# stays a zombie until its parent looks; dockerd would take it for alive and wait for it.
lives() {
	pid=$(cat "$1" 2>/dev/null) || return 1
	case $(cat "/proc/$pid/stat" 2>/dev/null) in
	*"($2) Z"*) return 1 ;;
	*"($2) "*) return 0 ;;
	*) return 1 ;;
	esac
}

forget_the_dead() {
	lives "$pidfile" dockerd || rm -f "$pidfile"
	lives "$run/docker/containerd/containerd.pid" containerd ||
		rm -f "$run/docker/containerd/containerd.pid"
}

start_engine() {
	if [ "$run" = /var/run ] && [ -d /run/systemd/system ]; then
		systemctl start docker
		return
	fi
	mount_cgroups
	options=${PATCHWRIGHT_ENGINE_OPTIONS:-}
	[ "$config" = /etc/docker/daemon.json ] || options="$options --config-file=$config"
	# Only where needed: next to "hosts" in a daemon.json, dockerd refuses the option.
	[ "$run" = /var/run ] ||
		options="$options --host=unix://$socket --pidfile=$pidfile --exec-root=$run/docker"
	forget_the_dead
	# shellcheck disable=SC2086
	setsid dockerd $options >>"$engine_log" 2>&1 </dev/null &
	daemon=$!
}

await_engine() {
	daemon=
	answers && return 0
	# The package may have started it a moment ago; a second one would only trip over the first.
	lives "$pidfile" dockerd || start_engine
	for _ in $(seq 60); do
		answers && return 0
		[ -z "$daemon" ] || kill -0 "$daemon" 2>/dev/null || return 1
		sleep 1
	done
	return 1
}

if ! answers; then
	refuse_what_is_not_ours
	install_engine
	write_config
	clocked "Starting the Docker engine" await_engine || {
		tail -n 5 "$engine_log" >&2 2>/dev/null || true
		fail "The Docker engine does not start: its log is $engine_log (or journalctl -u docker)."
	}
	answers || fail "The Docker engine was started but does not answer: $answer"
fi
say "Docker engine $answer answers at $address."
