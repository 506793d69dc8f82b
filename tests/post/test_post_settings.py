"""What the settings of post may be."""

import pytest

from config.settings import BadSetting, Settings
from service.cli import settings_from
from service.commands.errors import BadUsage

MAIL = {"smtp_url": "smtp://localhost", "mail_from": "post@example.org", "public_url": "https://example.org"}


@pytest.mark.parametrize(
    "changes",
    [{"mail_from": ""}, {"public_url": ""}, {"public_url": "example.org"}, {"public_url": "https://a@example.org"}],
)
def test_mail_needs_a_sender_and_an_address(changes: dict[str, str]) -> None:
    """All three, and an address that links can begin with."""
    with pytest.raises(BadSetting, match="REIBACH_"):
        Settings(**MAIL | changes)


def test_a_bad_scheme_is_named_before_what_mail_needs() -> None:
    """And nothing of the value, which may hold a password."""
    with pytest.raises(BadSetting, match=r"SMTP_URL .* must begin with smtps://") as failed:
        Settings(smtp_url="http://user:hush@localhost")
    assert "hush" not in str(failed.value)
    assert "MAIL_FROM" not in str(failed.value)


def test_links_begin_with_the_public_address() -> None:
    assert (
        Settings(**MAIL | {"public_url": "https://example.org/reibach/"}).public_base == "https://example.org/reibach"
    )
    assert Settings(port=7).public_base == "http://127.0.0.1:7"


@pytest.mark.parametrize(
    ("name", "value"), [("SMTP_URL", "imap://user:hush@localhost"), ("MAIL_FROM", "Anna <anna@localhost>")]
)
def test_a_bad_mail_setting_ends_the_start(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one line, which doesn't repeat the value."""
    for key, text in MAIL.items():
        monkeypatch.setenv(f"REIBACH_{key.upper()}", text)
    settings_from()
    monkeypatch.setenv(f"REIBACH_{name}", value)
    with pytest.raises(BadUsage, match=f"REIBACH_{name}") as failed:
        settings_from()
    assert "hush" not in str(failed.value)
    assert "anna" not in str(failed.value)
