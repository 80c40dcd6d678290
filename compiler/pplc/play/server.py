"""The server of the page: this machine only, with a token in the address, and nobody else's pages.

Whoever asks must know the token, which is part of every path; must mean this server by name (the header Host), so that
no name of another can be made to point here; and must ask from this page (Origin, Sec-Fetch-Site). What is answered
allows scripts and styles of this server alone, and no frame around it. The page asks by these paths:

    GET  /TOKEN/            the page; play.js and play.css beside it
    GET  /TOKEN/start       what it begins with: the model, the examples, the words of the language, the methods
    GET  /TOKEN/example?X   the text of an example
    GET  /TOKEN/report?X    the report of a run that is done
    POST /TOKEN/check       errors and warnings of a text
    POST /TOKEN/format      a text in its layout
    POST /TOKEN/run         starts a run, and answers line by line as it goes: it lasts as long as that is read
    POST /TOKEN/stop        ends a run with what it has drawn
    POST /TOKEN/save        writes the text to the file that the page was opened with
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from pplc.diagnostics import CompileError
from pplc.editing import marks, utf16
from pplc.layout import formatted
from pplc.passes.read import read
from pplc.play.examples import FIRST, example, examples
from pplc.play.runs import Busy, Runs
from pplc.play.worker import OFFERED
from pplc.source import Source
from pplc.vocabulary import words
from pplc_runtime.results.report import PARTS
from pplc_runtime.results.report import POLICY as REPORT_POLICY
from pplc_runtime.settings import OFFERS, SETTINGS

HOST: Final = "127.0.0.1"
LARGEST: Final = 20_000_000
"""Bytes of a request."""
METHOD: Final = "pgas"
"""What a page begins with."""
CHAINS: Final = 4
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
ALWAYS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
HTML, JAVASCRIPT, CSS, JSON, LINES = (
    f"{kind}; charset=utf-8"
    for kind in ("text/html", "text/javascript", "text/css", "application/json", "application/x-ndjson")
)


class Wrong(Exception):
    """A request that is not answered."""

    def __init__(self, status: HTTPStatus, text: str = "") -> None:
        super().__init__(text or status.phrase)
        self.status = status


class Server(ThreadingHTTPServer):
    """A page for one model, or for none."""

    daemon_threads = True

    def __init__(self, model: str | None = None, port: int = 0) -> None:
        super().__init__((HOST, port), Handler)
        self.token: Final = secrets.token_urlsafe(18)
        self.model: Final = model
        self.runs: Final = Runs()
        self.checking: Final = threading.Lock()

    @property
    def origins(self) -> tuple[str, ...]:
        """What this server is called."""
        return tuple(f"{name}:{self.server_port}" for name in (HOST, "localhost"))

    @property
    def address(self) -> str:
        """What is to be opened."""
        return f"http://{self.origins[0]}/{self.token}/"

    def source(self, asked: dict[str, Any]) -> Source:
        """The text of a request as messages name it, and where what it includes is: that of the file, or another."""
        text = asked.get("text")
        if not isinstance(text, str):
            raise Wrong(HTTPStatus.BAD_REQUEST)
        if self.model is None or not asked.get("own"):
            return Source("model.clj", text)
        return Source(self.model, text, os.path.dirname(self.model))

    def close(self) -> None:
        """End all runs, and the server."""
        self.server_close()
        self.runs.close()


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    server_version = "pplc"
    sys_version = ""
    timeout = 60
    """Seconds in which a request must come, and an answer be taken."""

    def do_GET(self) -> None:
        self.answer({
            "": lambda _: self.send(HTML, _file("page.html")),
            "play.js": lambda _: self.send(JAVASCRIPT, _file("play.js")),
            "play.css": lambda _: self.send(CSS, (PARTS + _file("play.css").decode()).encode()),
            "start": lambda _: self.send_json(self.start()),
            "example": self.example,
            "report": self.report,
        })  # fmt: skip

    def do_POST(self) -> None:
        self.answer({
            "check": lambda _: self.send_json(self.check()),
            "format": lambda _: self.send_json(self.format()),
            "run": lambda _: self.run(),
            "stop": lambda _: self.stop(),
            "save": lambda _: self.send_json(self.save()),
        })  # fmt: skip

    def answer(self, paths: dict[str, Callable[[str], None]]) -> None:
        """Do what a path stands for, if it may be asked for."""
        try:
            path, query = self.allowed()
            if path not in paths:
                raise Wrong(HTTPStatus.NOT_FOUND)
            paths[path](query)
        except Wrong as wrong:
            with suppress(OSError):
                self.send("text/plain; charset=utf-8", str(wrong).encode(), wrong.status)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            pass

    def allowed(self) -> tuple[str, str]:
        """The path behind the token, and its query; Wrong where something does not fit."""
        if self.headers.get("Host") not in self.server.origins:
            raise Wrong(HTTPStatus.MISDIRECTED_REQUEST)
        own = f"http://{self.headers['Host']}"
        origin = self.headers.get("Origin")
        if origin != own and not (origin is None and self.command == "GET"):
            raise Wrong(HTTPStatus.FORBIDDEN)
        if self.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            raise Wrong(HTTPStatus.FORBIDDEN)
        parts = urlsplit(self.path)
        token, slash, path = parts.path.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()) or not slash:
            raise Wrong(HTTPStatus.NOT_FOUND)
        return path, unquote(parts.query)

    def asked(self) -> dict[str, Any]:
        """The JSON object of a request."""
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip()
        length = self.headers.get("Content-Length", "")
        if kind != "application/json" or not length.isdigit():
            raise Wrong(HTTPStatus.BAD_REQUEST)
        if int(length) > LARGEST:
            raise Wrong(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            found = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise Wrong(HTTPStatus.BAD_REQUEST) from None
        if not isinstance(found, dict):
            raise Wrong(HTTPStatus.BAD_REQUEST)
        return found

    # What is asked for

    def start(self) -> dict[str, Any]:
        """What a page begins with."""
        model = self.server.model
        return {
            "file": model,
            "text": FIRST if model is None else Path(model).read_text(encoding="utf-8-sig"),
            "examples": examples(),
            "words": {word.name: [word.kind, word.forms[0], word.says] for word in words().values()},
            "methods": {
                offer.name: {
                    "does": offer.does,
                    "settings": [name for name in OFFERED if name in offer.own or not _is_own(name)],
                    "defaults": {"particles": offer.particles, "sweeps": offer.sweeps, "burn_in": offer.burn_in},
                }
                for offer in OFFERS.values()
            },
            "defaults": {name: SETTINGS[name].default for name in OFFERED},
            "method": METHOD,
            "chains": CHAINS,
        }

    def example(self, name: str) -> None:
        text = example(name)
        if text is None:
            raise Wrong(HTTPStatus.NOT_FOUND)
        self.send_json({"text": text})

    def report(self, name: str) -> None:
        page = self.server.runs.reports.get(name)
        if page is None:
            raise Wrong(HTTPStatus.NOT_FOUND, "this report is gone: run the model again")
        self.send(HTML, page.encode(), policy=REPORT_POLICY)

    def check(self) -> dict[str, Any]:
        source = self.server.source(self.asked())
        text = source.text
        with self.server.checking:
            found = marks(source)
        return {
            "marks": [
                {"start": utf16(text, m.start), "end": utf16(text, m.end), "severity": m.severity, "text": m.message}
                for m in found
            ]
        }

    def format(self) -> dict[str, Any]:
        source = self.server.source(self.asked())
        try:
            read(source)
        except CompileError:
            return {"text": source.text}
        return {"text": formatted(source.text)}

    def save(self) -> dict[str, Any]:
        source = self.server.source(self.asked())
        if source.name != self.server.model:
            raise Wrong(HTTPStatus.NOT_FOUND)
        try:
            Path(source.name).write_text(source.text, encoding="utf-8", newline="\n")
        except OSError as error:
            return {"wrong": f"{self.server.model}: {error.strerror}"}
        return {"saved": self.server.model}

    def run(self) -> None:
        """One run, told line by line."""
        asked = self.asked()
        source = self.server.source(asked)
        texts = {name: asked.get(name, "") for name in ("data", "method")}
        settings = asked.get("settings", {})
        if not all(isinstance(each, str) for each in texts.values()) or not isinstance(settings, dict):
            raise Wrong(HTTPStatus.BAD_REQUEST)
        runs = self.server.runs
        try:
            run = runs.start(
                {"name": source.name, "text": source.text, "folder": source.folder, "data": texts["data"],
                 "method": texts["method"], "settings": settings}
            )  # fmt: skip
        except Busy as busy:
            self.send(LINES, _line({"kind": "wrong", "text": str(busy)}))
            return
        try:
            self.head(LINES)
            self.wfile.write(_line({"kind": "started", "run": run.name}))
            for message in run.told(self.connection):
                if message["kind"] == "done":
                    runs.keep(run, message.pop("page"))
                self.wfile.write(_line(message))
        finally:
            runs.end(run)

    def stop(self) -> None:
        self.server.runs.stop(str(self.asked().get("run")))
        self.send_json(None)

    # How it is answered

    def send_json(self, value: Any) -> None:
        self.send(JSON, json.dumps(value).encode())

    def send(self, kind: str, content: bytes, status: HTTPStatus = HTTPStatus.OK, policy: str = POLICY) -> None:
        self.head(kind, status, policy, len(content))
        self.wfile.write(content)

    def head(
        self, kind: str, status: HTTPStatus = HTTPStatus.OK, policy: str = POLICY, length: int | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", policy)
        for name, value in ALWAYS.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """The terminal is for what matters."""


def _is_own(name: str) -> bool:
    """Whether only some methods have a setting."""
    return any(name in offer.own for offer in OFFERS.values())


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _file(name: str) -> bytes:
    return files("pplc.play").joinpath(name).read_bytes()
