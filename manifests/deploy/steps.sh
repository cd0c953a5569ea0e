# Sourced by the scripts beside this one: a line for each step, a clock where it takes time.

PATH="$PATH:/usr/sbin:/sbin"
log=
lists_fetched=

say() { printf '%s\n' "$*"; }

fail() {
	printf '%s\n' "$*" >&2
	exit 1
}

# clocked WHAT COMMAND...: runs the command with the time it takes on show. Its output is kept
# back and shown only if it fails.
clocked() {
	what=$1
	shift
	log=$(mktemp)
	trap 'rm -f "$log"' EXIT
	[ -t 1 ] || say "$what ..."
	"$@" >"$log" 2>&1 </dev/null &
	child=$!
	# A command in the background does not hear Ctrl-C: pass it on.
	trap 'kill "$child" 2>/dev/null; exit 130' INT TERM
	wait_for "$child" "$what" || {
		tail -n 20 "$log" >&2
		return 1
	}
	trap - INT TERM
	rm -f "$log"
}

# wait_for PID WHAT: returns the status with which our child PID ends.
wait_for() {
	tenths=0
	while kill -0 "$1" 2>/dev/null; do
		sleep 0.2
		tenths=$((tenths + 2))
		show_clock "$2" $tenths
	done
	status=0
	wait "$1" || status=$?
	if [ $status -eq 0 ]; then outcome=done; else outcome="failed with status $status"; fi
	if [ -t 1 ]; then printf '\r\033[K'; fi
	say "$2: $outcome after $((tenths / 10)) s"
	return $status
}

show_clock() {
	if [ -t 1 ]; then
		printf '\r\033[K%s: %s s  %s' "$1" $(($2 / 10)) "$(tail -n 1 "$log" 2>/dev/null | cut -c 1-48)"
	elif [ $(($2 % 150)) -eq 0 ]; then
		say "$1: $(($2 / 10)) s so far"
	fi
}

can_install() { [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; }

# apt_install PACKAGE...: installs those that are missing; fails where that is not ours to do.
apt_install() {
	missing=
	for package; do
		dpkg-query --show --showformat '${db:Status-Status}\n' "$package" 2>/dev/null |
			grep -qx installed || missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	can_install || return 1
	fetch_lists
	# shellcheck disable=SC2086
	clocked "Installing$missing with apt-get" env DEBIAN_FRONTEND=noninteractive \
		apt-get -o DPkg::Lock::Timeout=120 install --yes --no-install-recommends $missing
}

fetch_lists() {
	[ -z "$lists_fetched" ] || return 0
	lists_fetched=yes
	# The list of a broken source may not be needed: the install tells.
	clocked "Fetching the distribution's package lists" apt-get update || true
}

# has_package NAME: whether apt could install it.
has_package() { apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; }
