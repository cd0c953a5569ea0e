# The Python sandbox: Debian's Python, pytest and git, a user without rights, tools only root can write.
# BASE is either debian:bookworm-slim, or a root file system made of Debian packages on this host.
ARG BASE=debian:bookworm-slim
FROM ${BASE}
USER 0

# A base made on this host has every package already, so that the rest builds without a network.
ARG PACKAGES
RUN dpkg-query --show ${PACKAGES} >/dev/null 2>&1 \
 || (apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends ${PACKAGES} \
  && apt-get clean && rm -rf /var/lib/apt/lists/*)

# Bytecode is compiled now: the runner cannot write it later and would compile at every start.
# The code under test has no use for a setuid or setgid program, nor for the address of a mirror.
RUN useradd --uid 10001 --user-group --create-home --shell /bin/sh runner \
 && python3 -m compileall -q -x 'lib2to3/tests|test/bad' /usr/lib/python3 /usr/lib/python3.[0-9]* \
 && find / -xdev -type f -perm /6000 -exec chmod ug-s {} + \
 && rm -rf /etc/apt/sources.list /etc/apt/sources.list.d \
 && install -d -o runner -g runner /repo /report \
 && install -d /opt/patchwright

ENV PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 TZ=UTC
WORKDIR /repo
USER 10001:10001
