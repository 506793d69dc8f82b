"""Mails that come in: whom the service doesn't answer, and what was typed above the quoted mail."""

import encodings
import time
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.commands import Draw, Take
from domain.words.reply import read_reply
from service.post.inbox.html_text import DoubtfulText, text_of_html
from service.post.inbox.message import LARGEST, IgnoreReason, IncomingMail, read_message
from tests.post.mails import all_mails
from tests.support.cases import cases
from tests.support.profiles import examples

OWN = "reibach@example.org"


def mail(body: str = "draw\n", kind: str = "text/plain; charset=utf-8", headers: Sequence[str] = ()) -> bytes:
    lines = [
        "From: Anna <anna@example.com>",
        "Message-ID: <1@example.com>",
        *headers,
        f"Content-Type: {kind}",
        "",
        body,
    ]
    return "\r\n".join(lines).encode()


def wishes_in(content: bytes) -> tuple[object, ...]:
    letter = read_message(content, OWN)
    assert isinstance(letter, IncomingMail)
    return read_reply(letter.text).wishes


@pytest.mark.parametrize(("header", "reason"), cases(__file__, "mails_of_programs"))
def test_mails_of_programs_are_ignored(header: str, reason: IgnoreReason) -> None:
    """Each sign by itself; without it the mail is read."""
    assert read_message(mail(headers=[header]), OWN) == reason
    assert wishes_in(mail(headers=["Auto-Submitted: no", "Precedence: normal", "Return-Path: <a@b.c>"])) == (Draw(),)


def test_reports_of_delivery_are_ignored() -> None:
    report = 'multipart/report; report-type=delivery-status; boundary="b"'
    content = mail("--b\r\n\r\ndraw\r\n--b--\r\n", report)
    assert read_message(content, OWN) == IgnoreReason.BOUNCE


def test_own_mails_are_ignored() -> None:
    """Also where a server on the way has removed all signs but the message id; others of the domain are read."""
    for _, sent in all_mails("en"):
        assert isinstance(read_message(sent.as_bytes(), OWN), IgnoreReason)
        del sent["Auto-Submitted"]
        assert read_message(sent.as_bytes(), OWN) == IgnoreReason.OWN
    theirs = mail().replace(b"<1@example.com>", b"<CAF.12.3@example.org>")
    assert wishes_in(theirs) == (Draw(),)


NO_TEXT = {
    "nothing": b"",
    "many parts": mail("--0\r\n\r\n" * 2000, 'multipart/mixed; boundary="0"'),
    **{name: mail(body, kind, headers) for name, (body, kind, *headers) in cases(__file__, "no_text").items()},
}


@pytest.mark.parametrize("content", NO_TEXT.values(), ids=NO_TEXT)
def test_mails_without_a_text_are_answered(content: bytes) -> None:
    """Their writers are told where to write; those that programs sent are ignored all the same."""
    letter = read_message(content, OWN)
    assert not letter.text.strip()
    assert read_message(b"Auto-Submitted: auto-replied\r\n" + content, OWN) == IgnoreReason.AUTOMATIC


QUOTED = Path(__file__).with_name("html_quotes.txt").read_text("utf-8").strip().split("\n\n")


@pytest.mark.parametrize("html", QUOTED, ids=range(len(QUOTED)))
def test_quotes_of_mail_programs_are_not_read(html: str) -> None:
    """Gmail, Outlook, Outlook on the web, Apple Mail, Thunderbird, Proton, Yahoo and others, in mails without text."""
    expected = () if "_not" in html else (Take(slot=1), Draw())
    assert read_reply(text_of_html(html)).wishes == expected
    if expected:
        assert wishes_in(mail(html, "text/html; charset=utf-8")) == expected


@pytest.mark.parametrize("html", Path(__file__).with_name("html_unseen.txt").read_text("utf-8").splitlines())
def test_what_is_not_seen_is_not_played(html: str) -> None:
    """Elements that HTML or their style hides, with all within them, wherever they stand."""
    hidden = html.format("zieh")
    assert text_of_html(f"{hidden}nimm 2") == "nimm 2"
    assert read_reply(text_of_html(f"<div>nimm 2</div>{hidden}")).wishes == (Take(slot=1),)
    assert text_of_html(f"<br><img hidden>{html.format('<br>a')}") == ""
    shown = '<p style="font-size:0.5em; border-display:none; min-font-size:0">zieh</p>'
    assert read_reply(text_of_html(shown)).wishes == (Draw(),)


@pytest.mark.parametrize("style", cases(__file__, "styles_that_may_hide"))
def test_a_mail_whose_style_may_hide_a_text_is_not_read(style: str) -> None:
    """In an attribute or a style sheet, around the text; not where the element is empty, or below the first quote."""
    for html in ('<div style="{0}"><p>zieh</div>', "<style>.x {{ {0} }}</style><p class=x>zieh"):
        with pytest.raises(DoubtfulText):
            text_of_html(f"nimm 2{html.format(style)}")
        for quiet in (html.replace("zieh", " "), f"<blockquote>{html}"):
            assert read_reply(text_of_html(f"nimm 2{quiet.format(style)}")).wishes == (Take(slot=1),)
        with pytest.raises(DoubtfulText):  # the text below is read where none stands above
            text_of_html(f"<blockquote>x</blockquote>{html.format(style)}")
        incoming = read_message(mail(html.format(style), "text/html; charset=utf-8"), OWN)
        assert isinstance(incoming, IncomingMail)
        assert (incoming.text, incoming.hides) == ("", True)


@pytest.mark.parametrize("html", cases(__file__, "documents_that_may_hide"))
def test_a_rule_of_a_sheet_leaves_in_doubt_what_it_may_hide(html: str) -> None:
    """Another rule may show it, or its condition fail."""
    with pytest.raises(DoubtfulText):
        text_of_html(html)


@pytest.mark.parametrize("mark", ["<b>", "a{", "(", "[", ";"])
def test_a_page_of_too_many_marks_is_not_read(mark: str) -> None:
    """They take more time than their characters do: 48,000 nested rules took half a second."""
    html = "{}zieh" if mark == "<b>" else "<style>{}</style>zieh"
    assert text_of_html(html.format(mark * 7900)).strip() == "zieh"
    with pytest.raises(DoubtfulText):
        text_of_html(html.format(mark * 8001))


def test_what_is_behind_the_last_line_that_is_read_is_heard() -> None:
    """In a text, in a page, and in one that is read no further; a picture in the page doesn't count."""
    for gap in ("\n" * 98, "\n" * 300, "\n" * 3000, f"\n{'x ' * 90}" * 90, f"\n{'x ' * 90}" * 300):
        assert read_reply(f"take 1{gap}wait, no").error
        assert read_reply(f"take 1{gap}draw").wishes in ((), (Take(slot=0), Draw()))
    assert read_reply("take 1" + "\n" * 300).wishes == (Take(slot=0),)
    assert read_reply(text_of_html(f"<p>take 1</p>{'<br>' * 500}<p>wait, no")).error
    assert read_reply("take 1\n\n-- \nAnna Miller\nwait, no").error
    assert read_reply("take 1\n\n-- \nAnna\nTake care\n\nOn 1 May 2026 Bo wrote:\n> wait").wishes == (Take(slot=0),)
    picture = f'<img src="data:image/png;base64,{"A" * 90_000}">'
    assert read_reply(text_of_html(f"<p>take 1</p>{picture}<p>wait, no")).error
    assert read_reply(text_of_html(f"<p>take 1</p>{picture}<p>thanks")).wishes == (Take(slot=0),)
    with pytest.raises(DoubtfulText):
        text_of_html(f"<p>take 1</p>{'&nbsp;' * 30_000}<p>wait, no")


@pytest.mark.parametrize("style", cases(__file__, "styles_that_hide_nothing"))
def test_styles_of_mail_programs_hide_nothing(style: str) -> None:
    for html in ('<div style="{0}">zieh</div>', "<style>p.x, div.x {{ {0} }}</style><p class=x>zieh"):
        assert text_of_html(html.format(style)) == "zieh"


@pytest.mark.parametrize(("html", "lines"), cases(__file__, "lines_that_are_seen"))
def test_lines_are_those_that_are_seen(html: str, lines: list[str]) -> None:
    """A refusal names a line by its number: the first that holds anything is line 1, and no element adds one."""
    assert [line.strip() for line in text_of_html(html).splitlines()] == lines


def test_the_text_is_the_first_that_is_not_blank() -> None:
    """An attached text isn't read, nor is an attached mail."""
    sent = EmailMessage()
    sent.set_content(" \r\n")
    sent.add_alternative("<p>draw</p>", subtype="html")
    assert wishes_in(sent.as_bytes()) == (Draw(),)
    inner = EmailMessage()
    inner.set_content("draw")
    outer = EmailMessage()
    outer.add_attachment(inner)
    found = read_message(outer.as_bytes(), OWN)
    assert found.text == ""


def test_a_copy_is_known_by_its_id_and_text() -> None:
    """Servers on the way add headers; another text or another id is another mail."""
    one, *others = (
        read_message(content, OWN)
        for content in (
            mail(),
            b"Received: from a by b\r\n" + mail(),
            mail("take 1\n"),
            mail().replace(b"<1@", b"<2@"),
            mail(headers=["Date: 1"]).replace(b"Message-ID: <1@example.com>\r\n", b""),
            mail(headers=["Date: 2"]).replace(b"Message-ID: <1@example.com>\r\n", b""),
        )
    )
    assert isinstance(one, IncomingMail)
    digests = [other.digest for other in others if isinstance(other, IncomingMail)]
    assert digests[0] == one.digest
    assert len({one.digest, *digests[1:]}) == 5


def test_the_nearest_mail_is_the_one_that_is_answered() -> None:
    """In-Reply-To, else the last of References; what no header can repeat is no id."""
    first = read_message(mail(headers=["In-Reply-To: <a@x>", "References: <b@x>\r\n <c@x>"]), OWN)
    second = read_message(mail(headers=["References: <b@x>\r\n <c@x>"]), OWN)
    assert (first.answers, second.answers) == (("<a@x>", "<c@x>", "<b@x>"), ("<c@x>", "<b@x>"))
    bad = read_message(mail().replace(b"<1@example.com>", b"<a b\r\n\tc\xff>"), OWN)
    assert bad.message_id is None


def test_unknown_charsets_are_not_kept() -> None:
    """Python keeps each name that `codecs.lookup` doesn't find."""
    labels = [f"x{number}-{'q' * 900}" for number in range(25)]
    kinds = [kind for label in labels for kind in (f'; charset="{label}"', f"; charset*={label}''x")]
    parts = "".join(f"--b\nContent-Type: text/plain{kind}\n\n \n" for kind in kinds)
    read_message(mail(parts, "multipart/mixed; boundary=b"), OWN)
    before = len(encodings._cache)  # type: ignore[attr-defined]
    read_message(mail(parts.replace("x", "y"), "multipart/mixed; boundary=b"), OWN)
    assert len(encodings._cache) == before  # type: ignore[attr-defined]


ODD_TYPES = st.sampled_from(cases(__file__, "odd_types"))
ODD_CODES = st.sampled_from(["base64", "quoted-printable", "x-uuencode", "8bit", "none"])
BODIES = st.lists(
    st.one_of(
        st.binary(max_size=60),
        st.sampled_from(
            [b"\r\n", b"--b\r\n", b"--b--", b"begin 644 x\n", b"=FF=", b"<![x", b"<a b=", b"&#xd800;", b"<!--"]
        ),
    ),
    max_size=12,
).map(b"".join)


HEADS = st.builds(
    lambda kind, code: (
        f"Message-ID: <1@x>\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: {code}\r\n\r\n".encode()
    ),
    ODD_TYPES,
    ODD_CODES,
)


@examples(1)
@given(HEADS | st.binary(max_size=300), BODIES)
@example(b"Content-Type: multipart/mixed; charset*=x''y\r\nContent-Transfer-Encoding: base64\r\n\r\n", b"\x80")
@example(b"\r\n", b"Anna:")
def test_no_mail_breaks_the_reader(head: bytes, body: bytes) -> None:
    letter = read_message(head + body, OWN)
    if isinstance(letter, IncomingMail):
        read_reply(letter.text)


HEAVY = {
    **{kind: mail(text * times, sent_as) for kind, (text, times, sent_as) in cases(__file__, "heavy").items()},
    "scripts": mail("<script>" + "</a>" * 60_000, "text/html"),
    "attributes": mail("<a " + "x=" * 120_000, "text/html"),
    "parts": mail(
        "".join(f'--{n}\r\nContent-Type: multipart/mixed; boundary="{n + 1}"\r\n\r\n' for n in range(20))
        + "\r\n" * 120_000,
        'multipart/mixed; boundary="0"',
    ),
    "boundaries": mail(
        "".join(f'--{n}\r\nContent-Type: a/b; boundary="{n}"\r\n\r\n' for n in range(3000)), "multipart/x"
    ),
    "parameters": mail("draw", "text/plain; " + '"a;' * 80_000),
    "folded": mail("draw", "text/plain; " + "a=b;\r\n " * 30_000),
    "headers": ("a: b\r\n" * 40_000 + "\r\ndraw").encode(),
    "ids": mail("draw", headers=["Message-ID: " + "<" * 200_000, "References: " + "<a@b> " * 40_000]),
    "punycode": mail("a-" + "9" * 200_000, "text/plain; charset=punycode"),
}


@pytest.mark.parametrize(("parts", "wishes"), [(900, (Draw(),)), (1100, ())])
def test_a_mail_has_only_so_many_parts(parts: int, wishes: tuple[object, ...]) -> None:
    """Those without headers included, which cost the most for their size."""
    content = mail("--0\r\n\r\n" * parts + "--0\r\n\r\ndraw\r\n--0--", 'multipart/mixed; boundary="0"')
    assert wishes_in(content) == wishes


@pytest.mark.parametrize("content", HEAVY.values(), ids=HEAVY)
def test_no_mail_takes_long(content: bytes) -> None:
    """The largest mails of many kinds: each a fraction of a second."""
    before = time.process_time()
    read_message(content[:LARGEST], OWN)
    assert time.process_time() - before < 5  # of the processor; a parser of quadratic time takes 19
