"""What the servers of a store say of themselves; of a cluster each primary."""

from typing import Any, NamedTuple

from service.connections.clients import Client


class Slots(NamedTuple):
    """The slots of a cluster that one primary has."""

    ranges: list[list[str]]
    """The first and last slot of each range, or one slot."""
    moving: list[dict[str, str]]
    """Those on their way to or from it, key by key."""


def server_states(client: Client, *section: str) -> list[dict[str, Any]]:
    """INFO of the server, on a cluster of every primary in the order of their names. Raises redis-py's errors."""
    if not _is_cluster(client):
        return [client.info(*section)]
    return [client.info(*section, target_nodes=node) for node in _primaries(client)]


def slots_by_primary(client: Client) -> list[Slots]:
    """The slots of every primary, as it knows them itself; nothing where there is no cluster.

    Raises redis-py's errors: NoPermissionError where the user has no right to `CLUSTER NODES`.
    """
    if not _is_cluster(client):
        return []
    known = [client.execute_command("CLUSTER NODES", target_nodes=node) for node in _primaries(client)]
    own = [next(node for node in nodes.values() if "myself" in node["flags"]) for nodes in known]
    return [Slots(node["slots"], node["migrations"]) for node in own]


def _is_cluster(client: Client) -> bool:
    return hasattr(client, "get_primaries")


def _primaries(client: Client) -> list[Any]:
    return sorted(client.get_primaries(), key=lambda node: str(node.name))
