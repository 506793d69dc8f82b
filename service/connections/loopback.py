"""Addresses of this machine alone."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is of this machine alone; no name is looked up."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
