"""`reibach demo --by-post`: a game by mail, webhook, HTTP and a bot, whose transcript shows what each player got."""

import re
import subprocess
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP

import httpx
import pytest
from standardwebhooks import Webhook

from service.commands.demo.game import DemoGame
from service.commands.demo.receivers import Mailbox, answer_mail, open_mailbox, open_receiver, text_of
from service.commands.demo.transcript import Transcript
from service.commands.errors import CommandFailed
from service.post.inbox.message import read_message
from tests.support.ports import free_port
from tests.support.shell import COMMAND, ROOT, environment
from tests.support.waiting import patience
from tests.support.webhooks import SECRET

SHOWN = [
    r"Anna gets “Reibach & Co.: diese Adresse bestätigen”, opens its link",
    r"Carla curl -X POST http://127.0.0.1:\d+/v1/games/\w+/seats .*?the game begins",
    r"Anna gets a mail: Du bist dran: 3.Aktionspunkte",
    r"Anna answers: (leg|nimm|zieh)",
    r"Deine Mail wurde gespielt\.",
    r"Bert webhook turn.started, version \d+",
    r"Bert [\w ]+: 201",
    r"Carla curl [\w ]+: 201",
    r"Carla orders for her next turn",
    r"Carla her orders have come to their end: all were done",
    r"== All processes are killed, and started again",
    r"Anna gets a mail: ",
    r"== Anna doesn't answer for two turns",
    r"Anna gets a mail: Du bist noch dran",
    r"Anna gets a mail: Du bist noch dran",
    r"Service has timed two turns out: a bot plays for Anna",
    r"== Anna is back",
    r"Service has given Anna her seat back",
    r"Willkommen zurück",
    r"== The game is over",
    r"greedy -?\d+ million",
]
"""What the transcript shows, in this order, with each line break and indent as one space."""
ALSO_SHOWN = [
    r"Anna gets a mail: (Du hast gewonnen|\w+ gewinnt|.* teilen sich|Geteilter Sieg)",
    r"Bert webhook game.over, version \d+",
    r"Anna the last \d+ deliveries: 0 failed",
    r"Bert the last \d+ deliveries: 0 failed",
]


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_a_game_by_post_is_shown() -> None:
    """As a user runs it, which takes three minutes: every part is in the transcript, and nothing is on stderr."""
    command = [*COMMAND, "demo", "--by-post"]
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env=environment(REIBACH_LOG="json"),
        capture_output=True,
        text=True,
        timeout=patience(400),
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
    printed = " ".join(ended.stdout.split())  # long lines are wrapped
    rest = printed
    for pattern in SHOWN:
        found = re.search(pattern, rest)
        assert found, f"{pattern} isn't in: {rest}"
        rest = rest[found.end() :]
    for pattern in ALSO_SHOWN:
        assert re.search(pattern, printed), f"{pattern} isn't in: {printed}"


def letter(mailbox_port: int, mailbox: Mailbox) -> EmailMessage:
    """A mail of the service as it comes to the demonstration's mailbox."""
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Subject"] = "post@example.org", "anna@example.org", "Your turn"
    mail["Reply-To"], mail["Message-ID"] = "secret@in.example.org", "<turn.1@example.org>"
    mail.set_content("It is your turn.\n  nimm 1\n")
    answer_mail(mail, "post@example.org", ["hello"], mailbox_port)
    return mailbox.mails.get(timeout=patience(10))


def test_the_players_of_the_demonstration_answer_as_mail_programs_do() -> None:
    """What Anna writes is understood, and what she quotes is not read."""
    with open_mailbox(port := free_port()) as mailbox:
        answered = letter(port, mailbox)
    assert answered["To"] == "secret@in.example.org"
    assert answered["In-Reply-To"] == "<turn.1@example.org>"
    assert "> It is your turn." in text_of(answered)
    read = read_message(answered.as_bytes(), "reibach@example.org")
    assert read.text.startswith("hello")


def test_the_receiver_of_the_demonstration_trusts_signatures_alone() -> None:
    """Each webhook is taken once; one without a signature is refused."""
    now = datetime.now(UTC)
    signed = {"webhook-id": "n1", "webhook-timestamp": str(int(now.timestamp()))}
    signed["webhook-signature"] = Webhook(SECRET).sign("n1", now, "{}")
    with open_receiver() as (hooks, url):
        hooks.secret = SECRET
        statuses = [httpx.post(url, content="{}", headers=headers).status_code for headers in (signed, signed, {})]
    assert statuses == [204, 204, 401]
    assert hooks.bodies.get_nowait() == {}
    assert hooks.bodies.empty()


def test_a_refusal_ends_the_demonstration() -> None:
    """With one line that says what the service has answered."""
    with open_mailbox(port := free_port()) as mailbox, open_receiver() as (hooks, url):
        hooks.secret = SECRET
        game = DemoGame(Transcript(), url, mailbox, hooks)  # the receiver stands for a service that refuses everything
        with pytest.raises(CommandFailed, match="refused the demonstration's request"):
            game.open(url, port)
