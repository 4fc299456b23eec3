# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# ./dev image: builds the container image and holds it to what the README says of it. Sourced by dev, whose functions
# it uses. Where no container engine runs, one of its own does for as long as this takes.

readonly BASE_IMAGE=debian:bookworm-slim STAND_IN=normd-base:bookworm COMPOSE_FILE=docker/compose.yaml
readonly HARDENED=(--read-only --cap-drop ALL --security-opt no-new-privileges --user 12345)

# --- The engine

# Sets docker, the command that reaches an engine, where one runs.
find_engine() {
  docker=(docker)
  engine_answers && return
  docker=(as_root docker)
  engine_answers
}

# In a shell of its own, which as_root may end.
engine_answers() { ("${docker[@]}" version) >/dev/null 2>&1; }

# An engine's package takes the place of another maker's packages, so it is installed only where there is none.
setup_engine() {
  find_engine || command -v dockerd >/dev/null || install_packages "${ENGINE_PACKAGES[@]}"
  command -v docker >/dev/null || install_packages docker-cli  # a package of its own from Debian 13 on
}

await_engine() {
  for _ in {1..300}; do
    engine_answers && return
    [ -d "/proc/$engine_job" ] || return
    sleep 0.1
  done
}

# Without bridge and firewall rules, which not every kernel has; the storage driver is the best that it finds. In a session
# of its own: an interrupt from the terminal would end it before it has ended its containers.
start_engine() {
  say "no container engine runs here: starting one"
  engine_dir=$(mktemp -d)
  docker=(as_root docker --host "unix://$engine_dir/socket")
  mkdir -p build
  as_root setsid dockerd --host "unix://$engine_dir/socket" --data-root "$PWD/build/docker" --exec-root "$engine_dir/run" \
    --pidfile "$engine_dir/pid" --iptables=false --ip6tables=false --bridge=none >build/dockerd.log 2>&1 &
  engine_job=$!
  await_engine
}

# Sets engine_fault where the engine that was started cannot run /bin/true. Within a container without privileges an
# engine starts well and fails only here.
try_engine() {
  [ -d "/proc/$engine_job" ] || { engine_fault=$(tail -n 1 build/dockerd.log | head -c 500); return; }
  local libraries
  mapfile -t libraries < <(ldd /bin/true | grep -o '/[^ ]*')
  { tar -chP /bin/true "${libraries[@]}" | "${docker[@]}" import - normd-probe &&
    "${docker[@]}" run --rm --network none normd-probe /bin/true; } >build/engine-probe.log 2>&1 ||
    engine_fault=$(grep -m 1 rror build/engine-probe.log | head -c 500)
}

# By the engine's own pid: the job is a shell that an interrupt ends first. Containers that do not heed SIGTERM take 15 s.
stop_engine() {
  [ -n "${engine_dir:-}" ] || return 0
  local pid
  pid=$(cat "$engine_dir/pid" 2>/dev/null) || pid=none
  as_root kill "$pid" 2>/dev/null || true
  for _ in {1..300}; do
    [ -d "/proc/$pid" ] || break
    sleep 0.1
  done
  [ ! -d "/proc/$pid" ] || die "dockerd, process $pid, did not end within 30 s of SIGTERM; it keeps $engine_dir"
  as_root umount "$engine_dir/run/netns/default" 2>/dev/null || true  # which a build with this machine's network leaves
  as_root rm -rf "$engine_dir"
  engine_dir=
}

# Sets engine_fault, to nothing unless no engine can run containers here.
open_engine() {
  engine_fault=
  trap close_image EXIT
  setup_engine
  find_engine && return
  start_engine
  try_engine
}

close_image() {
  [ -z "${container:-}" ] || "${docker[@]}" rm --force "$container" >/dev/null 2>&1 || true
  container=
  stop_engine
}

# --- The base image

# What Debian's own slim image leaves out.
make_stand_in() {
  install_packages mmdebstrap
  say "no $BASE_IMAGE to be had: making $STAND_IN in its place"
  local excluded=() path
  for path in doc info locale man; do excluded+=(--dpkgopt="path-exclude=/usr/share/$path/*"); done
  logged image-base as_root mmdebstrap --variant=minbase --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
    --include=usr-is-merged "${excluded[@]}" bookworm build/base.tar
  "${docker[@]}" import build/base.tar "$STAND_IN" >/dev/null
  rm -f build/base.tar
}

has_image() { "${docker[@]}" image inspect "$1" >/dev/null 2>&1; }

# Sets base. A stand-in never takes the name of the image that it stands in for.
find_base() {
  base=$BASE_IMAGE
  has_image "$base" || "${docker[@]}" pull --quiet "$base" >build/image-pull.log 2>&1 && return
  base=$STAND_IN
  has_image "$base" || make_stand_in
}

# --- The image

build_image() {
  say "building the image normd on $base (3 to 7 minutes the first time; its output goes to build/image.log)"
  # An engine of ours has no bridge, so the build takes the network of this machine.
  logged image "${docker[@]}" build ${engine_dir:+--network host} --build-arg "BASE=$base" --tag normd \
    --file docker/Dockerfile .
}

# of_container FORMAT, of_image NAME FORMAT
of_container() { "${docker[@]}" container inspect --format "$1" "$container"; }
of_image() { "${docker[@]}" image inspect --format "$2" "$1"; }

die_of_container() { die "$1; it said: $("${docker[@]}" logs "$container" 2>&1 | tail -n 20)"; }

await_healthy() {
  local health
  for _ in {1..50}; do
    health=$(of_container '{{.State.Health.Status}}')
    [ "$health" != healthy ] || return 0
    sleep 0.1
  done
  die_of_container "expected HEALTHCHECK to say healthy within 5 s, got $health: $(of_container '{{json .State.Health.Log}}' | head -c 1000)"
}

# Without a network nothing else can answer. A server that listens on 127.0.0.1 alone would not answer on 127.0.0.2.
check_answer() {
  local answer expected="1.17011 -1.48923 -0.26593 0.58506"
  answer=$("${docker[@]}" exec "$container" normctl normalize 127.0.0.2:8001 --values 3.2,-1.8,0.5,2.1) ||
    die_of_container "the container did not answer"
  [[ $answer = *"$expected"* ]] || die "expected the answer $expected, got $answer"
}

check_http() {
  local status request='GET /readyz HTTP/1.1\r\nHost: normd\r\nConnection: close\r\n\r\n'
  status=$("${docker[@]}" exec "$container" timeout 5 bash -c "exec 3<>/dev/tcp/127.0.0.2/8002; printf '$request' >&3; head -n 1 <&3") ||
    die_of_container "the HTTP port did not answer"
  [[ $status = *" 200 "* ]] || die "expected /readyz to answer 200, got $status"
}

check_stop() {
  local from to code
  from=${EPOCHREALTIME/./}
  "${docker[@]}" stop --time 25 "$container" >/dev/null
  to=${EPOCHREALTIME/./}
  code=$(of_container '{{.State.ExitCode}}')
  [ "$code" = 0 ] || die_of_container "expected docker stop to end the container with 0, got $code"
  say "stopped with 0, $(((to - from) / 1000)) ms after docker stop was called"
}

check_hardened() {
  say "running it with ${HARDENED[*]}"
  container=normd-check-$$
  "${docker[@]}" run --detach --name "$container" --network none "${HARDENED[@]}" normd >/dev/null
  await_healthy
  check_answer
  check_http
  say "healthy and ready, and gave the worked example's answer"
  check_stop
}

check_compose() {
  local compose=(docker compose)
  docker compose version >/dev/null 2>&1 || compose=(docker-compose)
  command -v "${compose[0]}" >/dev/null || { say "not run: the check of $COMPOSE_FILE, for want of a compose command"; return; }
  "${compose[@]}" --file "$COMPOSE_FILE" config --quiet || die "$COMPOSE_FILE is not valid"
  say "$COMPOSE_FILE is valid"
}

show_size() {
  local all of_base
  all=$(of_image normd '{{.Size}}') of_base=$(of_image "$base" '{{.Size}}')
  say "the image is $((all / 1000000)) MB, of which $base $((of_base / 1000000)) MB"
}

verify_image() {
  find_base
  build_image
  check_hardened
  check_compose
  show_size
  [ -z "${engine_dir:-}" ] || "${docker[@]}" image prune --force --filter until=24h >/dev/null  # builds of another day
  close_image
}

cmd_image() {
  open_engine
  [ -z "$engine_fault" ] || die "no engine runs here, and one of our own cannot run a container: $engine_fault"
  verify_image
}

# The one fault that is this machine's and not the image's; cmd_check says at its end what was not run.
check_image() {
  open_engine
  [ -n "$engine_fault" ] || { verify_image; return; }
  close_image
  not_run="image: containers cannot run on this machine: $engine_fault"
  say "not run: $not_run"
}
