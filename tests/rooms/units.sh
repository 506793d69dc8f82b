# Installed as documented, under a systemd of its own, without a network; booted.sh says what must hold there.
make_room room-units bookworm python3-venv,git,ca-certificates,curl,systemd,redis-server
$enter=room-units --pipe --bind-ro="$PWD/src:/src" sh -euxc '{install}'
cp booted.sh room-units/root/
cat > room-units/etc/systemd/system/booted.service <<'UNIT'
[Service]
Type=exec
ExecStart=bash -eux /root/booted.sh
ExecStopPost=systemctl poweroff
StandardError=file:/root/booted.log
UNIT
timeout 240 $enter=room-units --boot --private-network \
    --link-journal=no --console=pipe systemd.wants=booted.service < /dev/null
tail -n 20 room-units/root/booted.log >&2
tail -n 1 room-units/root/booted.log | grep -x '+ echo done'
