# Parallax in a container: docker build -t parallax . && docker run --rm -v "$PWD:/work" parallax fuzz --plant F01
FROM debian:13-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
      g++ cmake ninja-build python3 python3-venv libfmt-dev libeigen3-dev nlohmann-json3-dev libcli11-dev \
      libmimalloc-dev libsqlite3-dev zlib1g-dev pkgconf libxnnpack-dev libpthreadpool-dev libcpuinfo-dev \
      libvulkan-dev glslang-dev spirv-tools \
    && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN python3 -m venv /venv && /venv/bin/pip install --no-cache-dir /src

FROM debian:13-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
      python3 python3-venv graphviz libfmt10 libmimalloc3 libsqlite3-0 zlib1g libxnnpack0.20241108 libvulkan1 \
      mesa-vulkan-drivers \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH
WORKDIR /work
ENTRYPOINT ["parallax"]
