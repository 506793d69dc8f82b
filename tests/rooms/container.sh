# Built in one room, it runs in another, which it may not write: ready, played, ended by its signal.
make_room room-build trixie python3-venv,git,ca-certificates
make_room room-run trixie python3
cp -a src room-build/src
$enter=room-build --pipe --chdir=/src sh -euxc '{builds}'
cp -a room-build/opt/reibach room-run/opt/
$enter=room-run --pipe sh -euxc '{made}'
mv "room-run{VOLUME}" games
mkdir "room-run{VOLUME}"
$enter=room-run --pipe --read-only --tmpfs=/tmp --bind="$PWD/games:{VOLUME}" --chdir={WORKDIR} \
    --kill-signal={STOPSIGNAL} --setenv=REIBACH_PORT={port} {environment} \
    setpriv --reuid={USER} --regid={USER} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
    {command} > ready &
service=$!
until grep '"level": "info"' ready; do kill -0 $service; sleep 0.2; done
chroot room-run {check}
seats='{{"seats": [{{"name": "Anna"}}, {{"bot": "greedy"}}]}}'
curl -fsS -H 'Content-Type: application/json' -d "$seats" http://127.0.0.1:{port}/v1/games
curl -fsS http://127.0.0.1:{port}/docs > docs
grep -q "$(git -C src rev-parse --short=7 HEAD)" docs
kill -TERM $service
wait $service
