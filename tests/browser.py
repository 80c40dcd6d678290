"""A real browser for tests, where one is installed: Chromium without a window, driven by its protocol over pipes."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

NAMES: Final = (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--remote-debugging-pipe",
)  # fmt: skip
STARTER: Final = """import fcntl, os, sys
by, to = (fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3])
os.dup2(by, 3), os.dup2(to, 4)
os.execv(sys.argv[3], sys.argv[3:])"""
"""The browser reads commands from file 3 and answers to file 4."""
PATIENCE: Final = 60.0
"""Seconds to wait for what must come."""


def browser() -> str:
    """The program; the test is skipped where there is none."""
    found = next((path for name in NAMES if name and (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium")
    return found


class Tab:
    """A page in the browser."""

    def __init__(self, wanted: Any, given: Any) -> None:
        self.wanted, self.given = wanted, given
        self.number = 0
        self.session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.do(f"{domain}.enable")

    def do(self, method: str, **parameters: Any) -> Any:
        """One command of the protocol, and its answer; a page that asks whether to leave it is left."""
        number = self.send(method, parameters)
        while (answer := self.receive()).get("id") != number:
            self.events.append(answer)
            if answer.get("method") == "Page.javascriptDialogOpening":
                self.send("Page.handleJavaScriptDialog", {"accept": True})
        assert "error" not in answer, answer
        return answer["result"]

    def send(self, method: str, parameters: dict[str, Any]) -> int:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        self.wanted.write(json.dumps(message).encode() + b"\0")
        self.wanted.flush()
        return self.number

    def receive(self) -> dict[str, Any]:
        content = bytearray()
        while not content.endswith(b"\0"):
            part = self.given.read(1)
            assert part, "the browser has gone"
            content += part
        found: dict[str, Any] = json.loads(content[:-1])
        return found

    def look(self, width: int = 1300, height: int = 900, scheme: str = "light") -> None:
        """The size of the window, and whether the reader's system is light or dark."""
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, address: str) -> None:
        self.do("Page.navigate", url=address)
        self.until("document.readyState === 'complete'")

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives on the page."""
        found = self.do("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, expression: str) -> Any:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not (found := self.value(expression)):
            assert time.monotonic() < end, f"in vain: {expression}"
            time.sleep(0.02)
        return found

    def type(self, text: str) -> None:
        """Text as from a keyboard, where the focus is."""
        self.do("Input.insertText", text=text)

    def picture(self, path: Path, whole: bool = False) -> None:
        """What is seen, as PNG."""
        found = self.do("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def complaints(self) -> list[str]:
        """What the browser has to say against the page: errors of scripts, and what its policy forbids."""
        found = [
            each["params"]
            for each in self.events
            if each.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")
        ]
        return [json.dumps(each) for each in found]

    def asked(self) -> list[str]:
        """The addresses that the page has asked for."""
        sent = [each for each in self.events if each.get("method") == "Network.requestWillBeSent"]
        return [each["params"]["request"]["url"] for each in sent]


@contextmanager
def tab() -> Iterator[Tab]:
    """A fresh browser with one page."""
    program = browser()
    there, wanted = os.pipe()
    given, back = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [sys.executable, "-c", STARTER, str(there), str(back), program, *FLAGS, f"--user-data-dir={folder}"],
            pass_fds=(there, back), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        hung = threading.Timer(4 * PATIENCE, process.kill)
        hung.start()
        os.close(there)
        os.close(back)
        with open(wanted, "wb") as to, open(given, "rb", buffering=1 << 16) as by:
            try:
                yield Tab(to, by)
            finally:
                hung.cancel()
                process.kill()
                process.wait()
