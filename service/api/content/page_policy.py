"""The Content-Security-Policy of pages that load nothing from other hosts."""

import base64
from hashlib import sha256


def page_policy(style: str, *directives: str, script: str = "", form_action: str = "'none'") -> str:
    """The header's value for a page with this inline style sheet; `directives` allow more, such as images.

    `script`: the only one that may run, inline, too; "": none. `form_action`: where the page's forms may go.
    """
    nothing = f"default-src 'none'; base-uri 'none'; form-action {form_action}; frame-ancestors 'none'"
    runs = (f"script-src {_digest(script)}",) if script else ()
    return "; ".join((nothing, f"style-src {_digest(style)}", *runs, *directives))


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(content.encode()).digest()).decode()}'"
