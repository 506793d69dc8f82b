"""Addresses of this machine alone."""

from ipaddress import IPv6Address, ip_address


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is of this machine alone; no name is looked up."""
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    # A socket that listens on `::` has IPv4 clients by such addresses.
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
