"""Hypothesis' profiles: the number of examples of generated tests.

    dev      10 examples, for a quick look
    ci       the default: 15 examples, the same ones in every run, on every machine
    nightly  1,000, new ones in every run; a failure prints how to repeat it

`--hypothesis-profile` chooses one.
"""

from hypothesis import HealthCheck, settings

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)
"""Checks of speed, which say more about the load of the machine than about a test."""


def register_profiles() -> None:
    settings.register_profile("nightly", max_examples=1000, deadline=None, print_blob=True, suppress_health_check=SLOW)
    same = settings(deadline=None, derandomize=True, database=None, print_blob=True, suppress_health_check=SLOW)
    settings.register_profile("ci", same, max_examples=15)
    settings.register_profile("dev", same, max_examples=10)
    settings.load_profile("ci")


def examples(share: float) -> settings:
    """The profile's settings with this share of its examples, for tests whose examples are expensive."""
    return settings(max_examples=max(1, round(settings().max_examples * share)))
