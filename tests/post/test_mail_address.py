"""Addresses of mails, refused or in their one spelling."""

import pytest

from service.post.mail.address import BadAddress, check_address, parse_sender


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("a@example.org", "a@example.org"),
        ("Anna.Lee+reibach@Example.ORG", "Anna.Lee+reibach@example.org"),
        ("anna@bücher.example.com", "anna@xn--bcher-kva.example.com"),
        (f"{'a' * 64}@example.org", f"{'a' * 64}@example.org"),
    ],
)
def test_an_address_has_one_spelling(text: str, address: str) -> None:
    """In ASCII, so that every mail server takes it."""
    assert check_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "anna",
        "@example.org",
        "anna@",
        "anna@localhost",
        "anna@[127.0.0.1]",
        "anna@example.org\r\nBcc: all@example.com",
        "anna@example.org\n",
        "a b@example.org",
        '"a b"@example.org',
        "anna@example.org, eve@example.org",
        "Anna <anna@example.org>",
        "änna@example.org",
        "anna@exa\u202emple.org",
        "=?utf-8?q?a?=@exa mple.org",
        "anna@example..org",
        "\ud800@example.org",
        "anna\x00@example.org",
        f"{'a' * 65}@example.org",
        f"a@{'b' * 300}.org",
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_a_bad_address_is_refused_and_not_repeated(text: str) -> None:
    """Whatever can't be an address of one mailbox; the error doesn't hold it."""
    with pytest.raises(BadAddress) as refused:
        check_address(text)
    assert not text or text not in str(refused.value)


def test_a_sender_may_have_a_name() -> None:
    """As people write it in a setting."""
    assert str(parse_sender("Reibach & Co. <a@example.org>")) == '"Reibach & Co." <a@example.org>'
    assert str(parse_sender("a@example.org")) == "a@example.org"
    for bad in ("Reibach", "a@example.org, b@example.org", "Reibach <a>", "A\r\nB: c <a@example.org>", ""):
        with pytest.raises(BadAddress):
            parse_sender(bad)
