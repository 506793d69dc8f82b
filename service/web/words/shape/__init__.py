"""Which words a page needs. All members are required: the type checker finds one that a language lacks."""

from dataclasses import dataclass

from service.web.words.shape.check import CheckWords
from service.web.words.shape.common import CommonWords
from service.web.words.shape.lobby import GamesWords, LobbyWords
from service.web.words.shape.menu import ClockWords, MenuWords, NoticeWords, OrderWords, SeatWords
from service.web.words.shape.post import PostWords
from service.web.words.shape.replay import ReplayWords
from service.web.words.shape.rules import RulesWords
from service.web.words.shape.start import NewGameWords, StartWords
from service.web.words.shape.table import TableWords
from service.web.words.shape.turn import KeyWords, MessageWords, ScoringWords, TurnWords


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWords:
    """The words of one language, in groups. A page's script gets the groups that it uses."""

    common: CommonWords
    start: StartWords
    new_game: NewGameWords
    lobby: LobbyWords
    games: GamesWords
    table: TableWords
    replay: ReplayWords
    rules: RulesWords
    turn: TurnWords
    keys: KeyWords
    scoring: ScoringWords
    messages: MessageWords
    menu: MenuWords
    seat: SeatWords
    notices: NoticeWords
    orders: OrderWords
    clock: ClockWords
    check: CheckWords
    post: PostWords
