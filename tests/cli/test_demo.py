"""`reibach demo --by-post`: a game of four by answers in the forms of eight mail programs, as a transcript."""

import re
import subprocess
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

import pytest

from domain.cards import HAND_CARDS
from domain.commands import Append, Draw, LayBusinessmaker, Take, TakeCard
from domain.words.reply import read_reply
from service.commands.demo.game import MailGame, Transcript
from service.commands.demo.letters import MAILS, say_action, write_answer
from service.commands.demo.receivers import open_mailbox
from service.commands.errors import CommandFailed
from service.post.inbox.message import IncomingMail, read_message
from tests.support.cases import cases
from tests.support.ports import free_port
from tests.support.receivers import answer, receiver
from tests.support.shell import COMMAND, ROOT, environment, succeed
from tests.support.waiting import patience


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_a_game_by_post_is_shown() -> None:
    """As a user runs it, in three minutes: every part is in the transcript, with one whole mail of each kind.

    Every answer was understood, and the players, who play as `greedy` does, end with money.
    """
    command = [*COMMAND, "demo", "--by-post"]
    settings = environment(REIBACH_LOG="json")
    ended = subprocess.run(
        command, cwd=ROOT, env=settings, capture_output=True, text=True, timeout=patience(400), check=False
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
    printed = " ".join(re.sub(r"^ +\|", "", ended.stdout, flags=re.MULTILINE).split())  # long lines are wrapped
    rest = printed
    for pattern in cases(__file__, "shown"):
        found = re.search(pattern, rest)
        assert found, f"{pattern} isn't in: {rest[:4000]}"
        rest = rest[found.end() :]
    assert [pattern for pattern in cases(__file__, "also_shown") if not re.search(pattern, printed)] == []
    assert set(re.findall(r"answers by ([\w -]+):", printed)) == {one["name"] for one in MAILS["programs"].values()}
    assert not re.search(r"Zeile \d|[Ll]ine \d|[Rr]egel \d|ligne \d", printed), "an answer wasn't understood"
    assert sum(map(int, re.findall(r"(-?\d+) million", rest))) > 20
    assert re.findall(r"to come (\d+) failed", rest) == ["0"] * 4


def told(text: str = "Du bist dran.\n  nimm 1\n") -> EmailMessage:
    """A mail of the service."""
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Subject"] = "Reibach & Co. <post@example.org>", "anna@example.org", "Table"
    mail["Reply-To"], mail["Message-ID"] = "secret@in.example.org", f"<answer.{'0' * 32}.7.0.{'g' * 24}@example.org>"
    mail.set_content(text)
    return mail


@pytest.mark.parametrize("language", MAILS["phrases"])
def test_what_players_say_is_understood(language: str) -> None:
    actions: list[Any] = [Draw(), *(Take(slot=slot) for slot in range(3))]
    actions += [LayBusinessmaker(card=card) for card in HAND_CARDS]
    actions += [Append(card=card, row=row) for card in HAND_CARDS for row in range(10)]
    for number in range(2):
        said = [(one, say_action(one, ["gold", "gold", "gold"], language, number)) for one in actions]
        said += [(TakeCard(card=card), say_action(Take(slot=0), [card], language, number)) for card in HAND_CARDS]
        for wish, text in said:
            assert read_reply(text).wishes == (wish,), text


@pytest.mark.parametrize("program", MAILS["programs"])
def test_what_mail_programs_add_is_not_read(program: str) -> None:
    """Neither as actions nor as a part of a message; and the mail that is answered is known."""

    def read(text: str) -> IncomingMail:
        found = read_message(write_answer(told(), "a@example.org", program, text).as_bytes(), "post@example.org")
        assert isinstance(found, IncomingMail)
        return found

    assert read_reply(read("draw\nleg Öl").text).wishes == (Draw(), LayBusinessmaker(card="oil"))
    assert read_reply(read("say Hello").text).text == "Hello"
    assert read("draw").answers[0] == told()["Message-ID"]


def test_a_refusal_ends_the_demonstration() -> None:
    with open_mailbox(free_port()) as mailbox, receiver(answer("401 Unauthorized")) as hook:
        game = MailGame(Transcript(), f"http://127.0.0.1:{hook.port}", mailbox, 1)  # a service that refuses everything
        with pytest.raises(CommandFailed, match="refused the demonstration's request"):
            game.open()


def test_a_mail_that_comes_twice_is_told_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    with open_mailbox(free_port()) as mailbox:
        game = MailGame(Transcript(), "", mailbox, 1)
        mail = EmailMessage()
        mail["To"], mail["Message-ID"] = game.players["Anna"].address, "<message.1@example.org>"
        mail.set_content("By your email: You draw a card.\n\n")
        for _ in range(2):
            game._receive(mail)
    assert "gets a mail again (message)" in capsys.readouterr().out


def test_it_says_what_can_be_shown() -> None:
    assert "--by-post" in succeed("demo").stdout
