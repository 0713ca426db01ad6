# A static binary in an empty image:
#
#     docker build -t maxmargin .
#     docker run --rm -v "$PWD":/data maxmargin train chain --train train.txt --model chunks.model
FROM rust:1-alpine AS build
RUN apk add --no-cache musl-dev
WORKDIR /src
COPY . .
RUN cargo build --release --locked -p maxmargin-cli --target "$(uname -m)-unknown-linux-musl" \
    && cp "target/$(uname -m)-unknown-linux-musl/release/maxmargin" /maxmargin

FROM scratch
COPY --from=build /maxmargin /maxmargin
WORKDIR /data
ENTRYPOINT ["/maxmargin"]
