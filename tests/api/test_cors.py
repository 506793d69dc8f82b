"""Pages of other origins: what a browser lets them send to /v1 and read of it."""

import httpx
import pytest
from flask.testing import FlaskClient

from config.settings import BadSetting, Settings
from tests.support.cases import cases
from tests.support.client import Api
from tests.support.world import Process

PAGE = {"Origin": "https://ui.example"}
PREFLIGHT = PAGE | {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
TAKEN = set(cases(__file__, "taken"))
EXPOSED = {"etag", "location", "retry-after", "idempotency-replayed", "ratelimit", "ratelimit-policy"}


def listed(answer: httpx.Response, header: str) -> set[str]:
    return {word.strip().lower() for word in answer.headers.get(header, "").split(",")}


def client(**settings: object) -> FlaskClient:
    return Process(None, Settings.read({}, rate_limit=0, **settings)).http


@pytest.mark.parametrize("path", ["/v1/games", "/v1/games/x/actions", "/v1/games/x", "/v1/keys", "/v1/nothing"])
def test_every_preflight_is_allowed(api: Api, path: str) -> None:
    """A preflight of any origin and path is answered by the same headers, without content, for a day."""
    answer = api.request("OPTIONS", path, headers=PREFLIGHT)
    assert (answer.status_code, answer.content) == (204, b"")
    assert "Content-Type" not in answer.headers
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert listed(answer, "Access-Control-Allow-Headers") == TAKEN
    assert {"get", "post", "put", "delete"} <= listed(answer, "Access-Control-Allow-Methods")
    assert int(answer.headers["Access-Control-Max-Age"]) >= 3600


@pytest.mark.parametrize(("method", "path", "status"), cases(__file__, "every_answer_may_be_read"))
def test_every_answer_may_be_read(api: Api, method: str, path: str, status: int) -> None:
    """A page of any origin may read every answer under /v1 and the headers that it needs, errors included."""
    answer = api.request(method, path, headers=PAGE)
    assert answer.status_code == status
    assert answer.headers.get_list("Access-Control-Allow-Origin") == ["*"]
    assert listed(answer, "Access-Control-Expose-Headers") == EXPOSED
    assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize("path", ["/healthz", "/metrics", "/docs", "/problems/not-found", "/nothing"])
def test_nothing_else_is_lent_to_other_origins(api: Api, path: str) -> None:
    for answer in (api.get(path, headers=PAGE), api.request("OPTIONS", path, headers=PREFLIGHT)):
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")]


@pytest.mark.parametrize("path", ["/v1/games", "/healthz", "/docs"])
def test_options_has_no_content_type(api: Api, path: str) -> None:
    """An answer without content names no type of it; Allow has the methods."""
    answer = api.request("OPTIONS", path)
    assert (answer.status_code, answer.content) == (200, b"")
    assert "Content-Type" not in answer.headers
    assert "OPTIONS" in answer.headers["Allow"]


def test_origins_can_be_narrowed() -> None:
    """With REIBACH_CORS_ORIGINS only those origins are answered, each by its name; caches keep them apart."""
    own = "https://play.example"
    with client(cors_origins=f"{own} app://reibach") as http:
        for origin, allowed in ((own, own), ("app://reibach", "app://reibach"), (PAGE["Origin"], None), ("null", None)):
            for method, path in (("GET", "/v1/keys"), ("GET", "/v1/nothing"), ("OPTIONS", "/v1/games")):
                answer = http.open(path, method=method, headers=PREFLIGHT | {"Origin": origin})
                assert answer.headers.getlist("Access-Control-Allow-Origin") == ([allowed] if allowed else [])
                assert ("Access-Control-Allow-Methods" in answer.headers) == (allowed is not None and method != "GET")
                assert "Origin" in answer.headers.getlist("Vary")
        assert "Access-Control-Allow-Origin" not in http.get("/v1/keys").headers
    with client(cors_origins="") as http:
        assert "Access-Control-Allow-Origin" not in http.get("/v1/keys", headers=PAGE).headers
    for mistyped in ("play.example", "https://play.example/", "https://a.example,https://b.example", "null"):
        with pytest.raises(BadSetting, match="REIBACH_CORS_ORIGINS"):
            Settings(cors_origins=mistyped)
