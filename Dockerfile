# goalmem as a service. Building takes packages from wherever pip is set up to; running contacts nothing.
#
#   docker build --tag goalmem .
#   docker run --rm --volume goalmem:/data goalmem keys add owner --all-spaces --scope admin
#   docker run --volume goalmem:/data --publish 127.0.0.1:8765:8765 goalmem

FROM python:3.11-slim-bookworm AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build
RUN python -m venv /opt/goalmem
COPY requirements.lock ./
# The lock's versions; its hashes name files that pip may get elsewhere under another name.
RUN sed -E 's/ *--hash=[^ ]+//g; s/ *\\$//' requirements.lock > versions.txt
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src ./src
RUN /opt/goalmem/bin/pip install --constraint versions.txt '.[serve,chat]'

FROM python:3.11-slim-bookworm

RUN useradd --uid 10001 --user-group --home-dir /data --shell /usr/sbin/nologin goalmem \
    && install --directory --owner=goalmem --group=goalmem --mode=0700 /data
COPY --from=build /opt/goalmem /opt/goalmem
ENV PATH=/opt/goalmem/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    GOALMEM_STORE=/data/memory.goalmem \
    GOALMEM_SERVE_HOST=0.0.0.0
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8765
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/ready', timeout=4)"]
ENTRYPOINT ["goalmem"]
CMD ["serve"]
