"""Real proxies in front of a real service, set up as docs/operating.md says. Skipped where they aren't installed."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.faults.served import served
from tests.support.cases import cases
from tests.support.ports import free_port
from tests.support.samples import with_nightly
from tests.support.shell import HOSTING
from tests.support.waiting import patience, wait_until

PLACES: Final = "/usr/sbin:/usr/bin:/usr/local/sbin"
OPTIONS: Final = {
    "nginx": ["-p", ".", "-e", "stderr", "-c", "config"],
    "haproxy": ["-db", "-f", "config"],
    "caddy": ["run", "--adapter", "caddyfile", "--config", "config"],
}
"""The proxies of the document; what each needs to run with the file `config` of its folder, in the foreground."""
BESIDE: Final = """
daemon off; master_process off; pid nginx.pid; error_log stderr; events {}
http { access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
uwsgi_temp_path uwsgi; scgi_temp_path scgi; gzip on; gzip_proxied any; gzip_types *; %s }"""
"""What nginx needs around the server, for a process of the test's own; and that a host compresses all else."""
FORWARDED: Final = {
    "nginx": ("proxy_set_header X-Forwarded-For $remote_addr;", "proxy_set_header Forwarded for=$remote_addr;"),
    "haproxy": ("http-request set-header X-Forwarded-For %[src]", "http-request set-header Forwarded for=%[src]"),
    "caddy": ("header_up -*_*", "header_up Forwarded for={remote_host}"),
}
"""The other way that the document names, in its words."""
ATTACKS: Final[list[list[tuple[str, str]]]] = cases(__file__, "attacks")
"""Headers by which a client names an address of its choice."""
NUMBERS: Final = count(1)
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl isn't installed"),
]


@pytest.fixture(scope="module", params=["x-forwarded-for", pytest.param("forwarded", marks=pytest.mark.nightly)])
def header(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def service(header: str, tmp_path_factory) -> Iterator[str]:
    """The address of a service that answers one request a second and client."""
    settings = {"REIBACH_TRUSTED_PROXIES": "1", "REIBACH_RATE_LIMIT": "1", "REIBACH_TRUSTED_HEADER": header}
    data = tmp_path_factory.mktemp("behind") / "games"
    with served([sys.executable, "-m", "service.cli", "serve"], data, **settings) as running:
        yield running.url


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("certificate")
    options = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=reibach.example -keyout key -out crt"
    subprocess.run(["openssl", "req", "-x509", *options.split()], cwd=folder, check=True, capture_output=True)
    (folder / "reibach.pem").write_text((folder / "crt").read_text() + (folder / "key").read_text())
    return folder / "reibach.pem"


@pytest.fixture(scope="module", params=OPTIONS)
def proxy(request, header: str, certificate: Path, tmp_path_factory) -> Callable[..., object]:
    """Starts this proxy, with the document's lines, in front of a port; its own port."""
    program = shutil.which(request.param, path=PLACES)
    if program is None:
        pytest.skip(f"{request.param} isn't installed")

    @contextmanager
    def start(service_port: int) -> Iterator[int]:
        folder, port = tmp_path_factory.mktemp(request.param), free_port()
        config = documented(request.param, header, certificate, {"443": str(port), "8000": str(service_port)})
        (folder / "config").write_text(config)
        environment = os.environ | {"HOME": str(folder)}
        process = subprocess.Popen([program, *OPTIONS[request.param]], cwd=folder, env=environment)
        try:
            wait_until(lambda: process.poll() is not None or is_open(port))
            assert process.poll() is None, f"{request.param} didn't start"
            yield port
        finally:
            process.terminate()
            process.wait(patience(10))

    return start


def documented(name: str, header: str, certificate: Path, ports: dict[str, str]) -> str:
    """The document's configuration; only the ports, and the names of the certificate and of the host, are others."""
    found = re.search(rf"<!-- {name} -->\n```{name}\n(.*?)```", HOSTING, re.DOTALL)
    assert found is not None
    config = re.sub(r"/etc/\S+/reibach\.(pem|key)|/etc/ssl/reibach\.pem", str(certificate), found[1])
    config = re.sub(r"\b(443|8000)\b", lambda port: ports[port[0]], config)
    if header == "forwarded":
        ours, other = FORWARDED[name]
        assert ours in config
        assert f"`{other}`" in HOSTING
        config = re.sub(r".*del-header.*\n", "", config.replace(ours, other))
    if name == "caddy":
        return "{\nadmin off\n}\n" + config.replace("reibach.example:", ":")
    return BESIDE % config if name == "nginx" else config


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def behind(proxy, service: str) -> Iterator[int]:
    with proxy(httpx.URL(service).port) as port:
        yield port


def client(port: int) -> httpx.Client:
    """A client with an address that no other one has had."""
    transport = httpx.HTTPTransport(verify=False, local_address=f"127.0.1.{next(NUMBERS)}")
    return httpx.Client(base_url=f"https://127.0.0.1:{port}", transport=transport, timeout=patience(15))


@pytest.mark.parametrize("attack", with_nightly(range(len(ATTACKS)), 3))
def test_no_client_forges_its_address(behind: int, attack: int) -> None:
    """Another address in each request brings no more requests; nobody else pays for them."""
    with client(behind) as forger, client(behind) as other:
        statuses = []
        while 429 not in statuses and len(statuses) < 30:
            fake = f"203.0.113.{len(statuses)}"
            headers = [(name, value.replace("{}", fake)) for name, value in ATTACKS[attack]]
            statuses.append(forger.get("/v1/bots", headers=headers).status_code)
        assert statuses == [200] * (len(statuses) - 1) + [429]
        assert other.get("/v1/bots").status_code == 200


def test_metrics_are_not_for_those_behind_a_proxy(behind: int) -> None:
    """The proxy connects from loopback, and so does this client: it gets 403 all the same."""
    with client(behind) as asking:
        assert asking.get("/metrics").status_code == 403
        assert asking.get("/metrics", headers={"Host": "localhost"}).status_code == 403


def test_an_event_stream_is_not_buffered(behind: int) -> None:
    with client(behind) as opening, client(behind) as watching:
        game = opening.post("/v1/games", json={"seats": [{"name": "Anna"}, {}]}).headers["Location"]
        with watching.stream("GET", f"{game}/events", headers={"Accept": "text/event-stream"}) as stream:
            assert stream.status_code == 200
            assert any(line.startswith("data:") for line in stream.iter_lines())


def test_a_version_arrives_as_it_is(behind: int) -> None:
    """A view that a proxy compresses has another tag, which no `If-Match` takes."""
    with client(behind) as opening, client(behind) as asking:
        opened = opening.post("/v1/games", json={"seats": [{"name": "Anna"}, {"name": "Bert"}]})
        headers = {"Authorization": f"Bearer {opened.json()['seats'][0]['token']}", "Accept-Encoding": "gzip, br, zstd"}
        assert asking.get(opened.headers["Location"], headers=headers).headers["ETag"] == '"5"'


def test_browsers_share_a_connection(behind: int) -> None:
    """By HTTP/2, where any number of tables can be open: by HTTP/1.1 a browser has six connections for them all."""
    with connect(behind, ["h2", "http/1.1"]) as browser:
        assert browser.selected_alpn_protocol() == "h2"
    if not (curl := shutil.which("curl")) or "HTTP2" not in subprocess.check_output([curl, "--version"], text=True):
        pytest.skip("no curl with HTTP/2 is installed")
    options = ["-sk", "--http2", "-o", os.devnull, "-w", "%{http_version}"]
    assert subprocess.check_output([curl, *options, f"https://127.0.0.1:{behind}/rules"], text=True) == "2"


def test_a_slow_body_waits_in_the_proxy(proxy) -> None:
    """A request of which a part is missing isn't passed on; when it is whole, it is."""
    head = "POST /v1/games HTTP/1.1\r\nHost: reibach.example\r\nContent-Length: {}\r\n\r\n"
    size = 60_000
    with socket.create_server(("127.0.0.1", 0)) as listener, proxy(listener.getsockname()[1]) as port:
        listener.settimeout(patience(10))
        with connect(port) as slow, connect(port) as quick:
            slow.sendall(head.format(size).encode() + b"s" * (size - 1))
            quick.sendall(head.format(1).encode() + b"q")
            with listener.accept()[0] as connection:
                assert receive(connection, 1).endswith(b"\r\n\r\nq")
            slow.sendall(b"s")
            with listener.accept()[0] as connection:
                assert receive(connection, size).endswith(b"s" * size)


def connect(port: int, protocols: Sequence[str] = ()) -> ssl.SSLSocket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if protocols:
        context.set_alpn_protocols(protocols)
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), patience(10)))


def receive(connection: socket.socket, size: int) -> bytes:
    connection.settimeout(patience(10))
    received = b""
    while len(received.partition(b"\r\n\r\n")[2]) < size:
        part = connection.recv(1 << 16)
        assert part, received
        received += part
    return received
