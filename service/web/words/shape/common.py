"""What all pages say."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonWords:
    """Header, footer, and what goes wrong anywhere."""

    skip: str
    """A link to the page's content."""
    menu: str
    """The name of the button that shows these links on a small screen."""
    navigation: str
    """The name of the list of links at the top."""
    languages: str
    """The name of the list of languages."""
    new_game: str
    lobby: str
    games: str
    rules: str
    by_post: str
    api: str
    table: str
    """The title of a table until its game is known."""
    loading: str
    needs_script: str
    plain_table: str
    """A button that shows a table without scripts."""
    plain_hint: str
    """What that table is, and how else one can play without scripts."""
    offline: str
    unavailable: str
    too_many: str
    """A heading: the client has asked too often."""
    again_hint: str
    """What to do then, or where the service is unavailable."""
    open_seat: str
    damaged_link: str
    """A seat's link from which something is missing."""
    void_link: str
    """A seat's link that the service refuses."""
    void_seat: str
    """The link of the seat that this browser has played became void."""
    no_page: str
    """A heading: nothing is at this address."""
    no_page_hint: str
    """A sentence above links that go on."""
