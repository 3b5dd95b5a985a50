# SPDX-License-Identifier: Apache-2.0
# The image: `docker build .` makes it; `make image` does, also where there is no Docker. charts/berth/README.md goes on.
FROM debian:bookworm-slim AS build
# Where the sources lie, and below LANG: a compiler's cache from outside is of use when both are the same there.
ARG SOURCE=/berth
WORKDIR $SOURCE
COPY tools/setup.sh tools/apt.sh tools/
RUN tools/setup.sh build && mkdir -p /image/usr/share/doc/berth/included && cd /usr/share/doc && \
    # What of others' code is compiled in, and not a library of the image: its licences, and its versions for the SBOM.
    for package in libboost1.74-dev libcli11-dev libspdlog-dev libsimdjson-dev libprotozero-dev libyaml-cpp-dev \
      prometheus-cpp-dev; do \
      cp "$package/copyright" "/image/usr/share/doc/berth/included/$package" && \
      dpkg-query -W -f '${Package}\t${Version}\n' "$package" >>/image/usr/share/doc/berth/included.txt || exit 1; \
    done
COPY CMakeLists.txt CMakePresets.json LICENSE CHANGELOG.md ./
COPY packages packages
COPY configs configs
COPY sdk sdk
COPY plugins plugins
COPY host host
COPY web web
ARG LANG=C.UTF-8
RUN cmake --preset release -D BUILD_TESTING=OFF && cmake --build build/release --target product && \
    cmake --install build/release --strip --prefix /image/opt/berth && \
    rm -r /image/opt/berth/include /image/opt/berth/lib/cmake /image/opt/berth/share/pkgconfig && cp LICENSE /image/usr/share/doc/berth/copyright

FROM debian:bookworm-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends libcpprest2.10 libnghttp2-14 libprometheus-cpp-core1.0 libre2-9 libsimdjson14 libspdlog1.10 libssl3 \
      libyaml-cpp0.7 zlib1g && \
    rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/*
COPY --from=build /image /
ENV PATH=/opt/berth/bin:/usr/sbin:/usr/bin:/sbin:/bin
USER 65532:65532
EXPOSE 10259
ENTRYPOINT ["berth"]
CMD ["--help"]
LABEL org.opencontainers.image.title="Berth" \
      org.opencontainers.image.description="A Kubernetes scheduler in which every policy is a plugin" \
      org.opencontainers.image.licenses="Apache-2.0"
