"""Many clients at the same moment."""

from collections.abc import Callable
from threading import Thread


def run_together(work: Callable[[int], None], count: int) -> None:
    """Call `work` with each number in a thread of its own; raises the first error."""
    errors: list[BaseException] = []

    def kept(number: int) -> None:
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - raised below
            errors.append(error)

    threads = [Thread(target=kept, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        raise error
