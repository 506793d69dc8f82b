"""Receivers of webhooks: servers on raw sockets that answer, or misbehave, as a test says."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.support.waiting import patience

Answer = Callable[["Connection"], None]


@dataclass
class Connection:
    """One connection to a receiver, after its request has been read."""

    socket: socket.socket
    stopping: threading.Event

    def send(self, data: bytes) -> None:
        """Send bytes; OSError once the sender has closed."""
        self.socket.sendall(data)

    def repeat(self, data: bytes, seconds: float = 0) -> None:
        """Send the bytes again and again, with a pause, until the sender has closed."""
        while not self.stopping.wait(seconds):
            self.send(data)

    def hang(self) -> None:
        """Wait until the sender closes."""
        self.socket.recv(1)


@dataclass
class Receiver:
    """A server on a port of 127.0.0.1."""

    port: int
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    """Request line, headers (names in lower case) and body."""
    names: list[str | None] = field(default_factory=list)
    """The names that TLS clients asked for."""
    connections: int = 0

    @property
    def headers(self) -> dict[str, str]:
        [(_, headers, _)] = self.requests
        return headers


def answer(status: str = "204 No Content", *headers: str) -> Answer:
    """An answer without a body."""
    head = "\r\n".join([f"HTTP/1.1 {status}", *headers, "Content-Length: 0", "", ""])
    return lambda connection: connection.send(head.encode())


@contextmanager
def receiver(
    behave: Answer, context: ssl.SSLContext | None = None, hesitate: Callable[[], object] = lambda: None
) -> Iterator[Receiver]:
    """A receiver that reads a request from each connection and then behaves; with `context` over TLS.

    `hesitate`: what it does with a new connection before its TLS is answered.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = Receiver(server.getsockname()[1])
        stopping = threading.Event()
        if context is not None:
            context.sni_callback = lambda _socket, name, _context: found.names.append(name)

        def serve() -> None:
            while not stopping.is_set():
                plain, _ = server.accept()
                if stopping.is_set():
                    plain.close()
                    return
                found.connections += 1
                with contextlib.suppress(OSError), plain:
                    plain.settimeout(patience(20))
                    hesitate()
                    with context.wrap_socket(plain, server_side=True) if context else plain as connection:
                        request = _read_request(connection)
                        if request[0]:  # the sender hasn't closed without a word
                            found.requests.append(request)
                            behave(Connection(connection, stopping))

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield found
        finally:
            stopping.set()
            socket.create_connection(("127.0.0.1", found.port)).close()
            thread.join(patience(20))
            assert not thread.is_alive(), "the receiver still serves a connection that the sender should have closed"


def _read_request(connection: socket.socket) -> tuple[str, dict[str, str], bytes]:
    with connection.makefile("rb") as file:
        line = file.readline().decode("latin-1").strip()
        headers = {}
        while header := file.readline().decode("latin-1").strip():
            name, _, value = header.partition(":")
            headers[name.lower()] = value.strip()
        return line, headers, file.read(int(headers.get("content-length", "0")))


@cache
def certificate(host: str) -> bytes:
    """A certificate for the host, signed by itself, and its key, as PEM."""
    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return made.public_bytes(Encoding.PEM) + secret


def server_context(host: str, folder: Path) -> ssl.SSLContext:
    """TLS of a receiver that is called `host`."""
    (folder / f"{host}.pem").write_bytes(certificate(host))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / f"{host}.pem")
    return context


def client_context(host: str) -> ssl.SSLContext:
    """TLS of a sender that trusts the certificate of `host` and no other."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=certificate(host).decode().partition("-----BEGIN PRIVATE")[0])
    return context
