"""What a web process works with."""

from dataclasses import dataclass

from service.api.limits.places import Places
from service.api.limits.rates import ClientLimits
from service.bootstrap import Services


@dataclass(frozen=True, slots=True)
class Web:
    """The services, and what only a web process has."""

    services: Services
    limits: ClientLimits
    places: Places
