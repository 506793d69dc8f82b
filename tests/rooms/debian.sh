# Rooms: roots of a clean Debian, by its own tools, in which nothing of this machine is but what it trusts. For root.
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf room-*' EXIT
make_room() {  # folder, release, packages
    mmdebstrap --quiet --variant=minbase --include="$3" "$2" "$1"
    cp /etc/resolv.conf "$1/etc/"
    if [ -d "$1/etc/ssl/certs" ]; then cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"; fi
}
enter="systemd-nspawn --quiet --register=no --keep-unit --directory"
