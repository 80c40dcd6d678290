"""The server of `pplc play`: who may ask, what is answered, and that runs start, stop and end with their readers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any, Final

import pytest

from pplc.play import runs as runs_module
from pplc.play.examples import FIRST, examples
from pplc.play.server import POLICY, Server

ROOT: Final = Path(__file__).parents[2]
EVIL: Final = "<script>document.title='hacked'</script>"
ENDLESS: Final = """[assume loops (fn [n] (if (< n 0) 0 (loops (+ n 1))))]
[assume x (sample (normal 0 1))] [predict (loops (abs x))]"""
LONG: Final = "[assume x (sample (normal 0 1))] [observe (normal x 1) 2] [predict x]"


class Asking:
    """Whoever asks the server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.own = f"http://127.0.0.1:{server.server_port}"

    def get(self, path: str, *, token: str | None = None, **headers: str) -> HTTPResponse:
        return self.ask("GET", path, None, token, headers)

    def post(self, path: str, body: Any, *, token: str | None = None, **headers: str) -> HTTPResponse:
        told = {"Origin": self.own, "Content-Type": "application/json", **headers}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.ask("POST", path, content, token, told)

    def ask(self, verb: str, path: str, body: bytes | None, token: str | None, headers: dict[str, str]) -> HTTPResponse:
        connection = HTTPConnection("127.0.0.1", self.server.server_port, timeout=60)
        told = {name.replace("_", "-"): value for name, value in headers.items() if value}
        connection.request(verb, f"/{self.server.token if token is None else token}/{path}", body, told)
        return connection.getresponse()

    def check(self, text: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.post("check", {"text": text}).read())["marks"]
        return found

    def run(self, text: str, method: str = "importance", data: str = "", **settings: Any) -> HTTPResponse:
        return self.post("run", {"text": text, "method": method, "data": data, "settings": settings})

    def told(self, *args: Any, **settings: Any) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.run(*args, **settings)]

    def until_ended(self) -> None:
        end = time.monotonic() + 30
        while self.server.runs.going:
            assert time.monotonic() < end
            time.sleep(0.01)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    found = Server()
    thread = threading.Thread(target=found.serve_forever, args=(0.02,))
    thread.start()
    yield found
    found.shutdown()
    thread.join()
    found.close()


@pytest.fixture
def asking(server: Server) -> Asking:
    return Asking(server)


def test_the_page_is_whole_and_allows_nothing_foreign(asking: Asking) -> None:
    for path in ("", "play.js", "play.css"):
        answer = asking.get(path)
        content = answer.read().decode()
        assert answer.status == 200 and answer.getheader("Content-Security-Policy") == POLICY
        assert "http://" not in content and "https://" not in content and "@import" not in content
        assert answer.getheader("X-Content-Type-Options") == "nosniff"
        assert answer.getheader("Cache-Control") == "no-store"
    assert "unsafe" not in POLICY and "'none'" in POLICY


def test_it_is_on_this_machine_only(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.address.endswith(f"/{server.token}/") and len(server.token) >= 20


@pytest.mark.parametrize("token", ["", "wrong", "x" * 24])
def test_without_the_token_nothing_is_there(asking: Asking, token: str) -> None:
    for path in ("", "start", "report?x"):
        assert asking.get(path, token=token).status == 404
    assert asking.post("run", {"text": LONG}, token=token).status == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "evil.example:{port}", "127.0.0.1.evil.example:{port}"])
def test_another_name_is_not_this_server(asking: Asking, host: str) -> None:
    told = host.format(port=asking.server.server_port)
    assert asking.get("", Host=told).status == 421
    assert asking.post("check", {"text": LONG}, Host=told).status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", ""]
)
def test_another_page_may_not_ask(asking: Asking, origin: str) -> None:
    """Also nobody who does not say from where, if something is to be done."""
    told = origin.format(port=asking.server.server_port)
    assert asking.post("run", {"text": LONG, "method": "importance"}, Origin=told).status == 403
    if origin:
        assert asking.get("start", Origin=told).status == 403
    assert not asking.server.runs.going


def test_what_another_site_fetches_is_refused(asking: Asking) -> None:
    assert asking.get("start", Sec_Fetch_Site="cross-site").status == 403
    assert asking.get("start", Sec_Fetch_Site="same-site").status == 403
    assert asking.get("start", Sec_Fetch_Site="same-origin").status == 200


def test_requests_that_make_no_sense(asking: Asking) -> None:
    assert asking.get("nowhere").status == 404 and asking.get("run").status == 404
    assert asking.get("../../etc/passwd").status == 404
    assert asking.post("check", b"{").status == 400
    assert asking.post("check", b"[" * 100_000).status == 400
    assert asking.post("check", [1]).status == 400
    assert asking.post("check", {"text": 1}).status == 400
    assert asking.post("check", {"text": "x"}, Content_Type="text/plain").status == 400
    assert asking.post("run", {"text": LONG, "method": 1}).status == 400
    assert asking.post("run", {"text": LONG, "settings": []}).status == 400
    assert asking.post("check", b"{}", Content_Length="99999999999").status == 413


def test_errors_have_their_places(asking: Asking) -> None:
    """In UTF-16 units, as a browser counts: the sign before the word is two of them."""
    text = '[assume s "\U0001d4d0"] [assume x (sample (nomral 0 1))]'
    (mark,) = asking.check(text)
    units = text.encode("utf-16-le")
    assert units[2 * mark["start"] : 2 * mark["end"]].decode("utf-16-le") == "nomral"
    assert mark["severity"] == "error" and "did you mean 'normal'" in mark["text"]
    assert asking.check(LONG) == []
    assert [mark["severity"] for mark in asking.check("[assume exp 1] [predict exp]")] == ["warning"]
    assert "a text that is in no file" in asking.check('[include "other.clj"]')[0]["text"]


def test_what_a_page_begins_with(asking: Asking) -> None:
    start = json.loads(asking.get("start").read())
    assert start["text"] == FIRST and start["file"] is None and asking.check(FIRST) == []
    assert start["words"]["normal"][:2] == ["distribution", "(normal mean sd)"]
    top = ROOT / "programs"
    found = [path.relative_to(top).with_suffix("").as_posix() for path in top.rglob("*.clj")]
    assert start["examples"].keys() == {"coin", *found}
    assert "cores" not in start["methods"]["pgas"]["settings"]
    for name in examples():
        marks = asking.check(json.loads(asking.get(f"example?{name}").read())["text"])
        assert [mark for mark in marks if mark["severity"] == "error"] == [], name
    assert asking.get("example?../pyproject").status == 404


def test_a_run_tells_of_itself_and_leaves_a_report(asking: Asking) -> None:
    told = asking.told(LONG, "pgas", sweeps=30, chains=2, seed=1)
    assert [told[0]["kind"], told[1]["kind"], told[-1]["kind"]] == ["started", "sweeps", "done"]
    assert told[1]["total"] == told[-1]["done"] == 60 and "<svg" in told[1]["html"]
    assert "Densities and traces" in told[-1]["html"] and "page" not in told[-1]
    assert "Genealogy" in told[-1]["html"] and "<style" not in told[-1]["html"]  # which the policy forbids
    report = asking.get(f"report?{told[0]['run']}")
    assert report.status == 200 and "default-src 'none'" in (report.getheader("Content-Security-Policy") or "")
    assert b"<h2>Model</h2>" in report.read()
    assert asking.get("report?another").status == 404
    asking.until_ended()


def test_data_is_json_or_a_table(asking: Asking) -> None:
    text = "[input y] [assume mu (sample (normal 0 1))] [for [v y] [observe (normal mu 1) v]] [predict (count y)]"
    for data in ('{"y": [1, 2, 3]}', "y\n1\n2\n3\n", "y\tz\n1\t0\n2\t0\n3\t0", '[{"y": 1}, {"y": 2}, {"y": 3}]'):
        last = asking.told(text, "smc", data, particles=10, sweeps=1, seed=1)[-1]
        assert last["kind"] == "done" and "<td>3</td>" in last["html"], last
    for data, said in (
        ('{"y": [1, ', "data:1:11: not JSON"), ('{"z": 1}', "'z'"), ("", "'y'"), ("y\n1\n2,3", "data:3: 2 cells"),
    ):  # fmt: skip
        last = asking.told(text, "smc", data, particles=10)[-1]
        assert last["kind"] == "wrong" and said in last["text"], last


@pytest.mark.parametrize(
    ("text", "method", "settings", "said"),
    [
        ("[predict (nomral 0 1)]", "smc", {}, "model.clj:1:11: error: unknown name 'nomral'"),
        ("[predict (nth [1] 2)]", "smc", {}, "model.clj:1:10: error"),
        (LONG, "pgsa", {}, "pgas"),
        (LONG, "pgas", {"particles": "ten"}, "particles"),
        (LONG, "pgas", {"sweeps": -1}, "at least 1"),
        (LONG, "smc", {"burn_in": 10}, "burn_in"),
        (LONG, "pgas +", {}, "method"),
    ],
)
def test_what_is_wrong_is_told(asking: Asking, text: str, method: str, settings: dict[str, Any], said: str) -> None:
    last = asking.told(text, method, **settings)[-1]
    assert last["kind"] == "wrong" and said in last["text"] and "Traceback" not in last["text"]


def test_all_that_comes_from_a_model_is_escaped(asking: Asking) -> None:
    text = f"""; {EVIL}
    [assume x (sample (normal 0 1))] [predict "{EVIL}" x] [predict "b" (if (> x 0) "{EVIL}" "<b>")]"""
    for message in asking.told(text, "smc", particles=20, sweeps=2, seed=1)[1:]:
        assert "<script" not in message["html"] and "&lt;script" in message["html"]
    wrong = asking.told(f'[predict (+ "{EVIL}" 1)]', "smc")[-1]
    assert EVIL in wrong["text"]  # which the page puts in as text


def test_what_a_model_prints_is_told(asking: Asking) -> None:
    told = asking.told('[predict (do (print "hello") 1)]', "importance", particles=1, sweeps=1)
    assert any(message["kind"] == "print" and "hello" in message["text"] for message in told)


def test_a_run_is_stopped_with_what_it_has(asking: Asking) -> None:
    answer = asking.run(LONG, "pgas", sweeps=1_000_000)
    name = json.loads(answer.readline())["run"]
    answer.readline()
    asking.post("stop", {"run": name}).read()
    last = [json.loads(line) for line in answer][-1]
    assert last["kind"] == "done" and last["interrupted"] and last["done"] >= 1
    asking.until_ended()
    assert asking.post("stop", {"run": name}).status == 200  # again does no harm


def test_a_run_that_does_not_end_is_ended(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_module, "GRACE", 0.3)
    answer = asking.run(ENDLESS)
    name = json.loads(answer.readline())["run"]
    process = asking.server.runs.going[name].process
    asking.post("stop", {"run": name}).read()
    assert [json.loads(line)["kind"] for line in answer][-1] == "wrong"
    asking.until_ended()
    assert not process.is_alive()


def test_a_run_has_a_longest_time(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_module, "LONGEST", 1.0)
    last = asking.told(LONG, "pgas", sweeps=1_000_000)[-1]
    # On a slow machine it has not done a sweep by then.
    assert last["interrupted"] if last["kind"] == "done" else last["text"].startswith("stopped")
    asking.until_ended()


def test_a_run_ends_when_nobody_reads_it(asking: Asking) -> None:
    answer = asking.run(ENDLESS)
    process = asking.server.runs.going[json.loads(answer.readline())["run"]].process
    answer.close()
    asking.until_ended()
    assert not process.is_alive()


def test_runs_do_not_interfere_and_are_not_too_many(asking: Asking) -> None:
    """Four at once: a fifth is refused, one that is stopped ends alone, and each has the draws of its own seed."""
    alone = asking.told(LONG, "pgas", sweeps=40, seed=7)[-1]["html"]
    going = [asking.run(ENDLESS) for _ in range(runs_module.MOST_RUNS - 1)]
    for answer in going:
        answer.readline()
    beside = asking.run(LONG, "pgas", sweeps=40, seed=7)
    beside.readline()
    refused = asking.told(LONG)
    assert refused[-1]["kind"] == "wrong" and "runs go on" in refused[-1]["text"]
    assert [json.loads(line) for line in beside][-1]["html"] == alone
    for answer in going:
        answer.close()
    asking.until_ended()


def test_a_file_is_saved_and_may_include(tmp_path: Path) -> None:
    (tmp_path / "m.clj").write_text("[predict 1]\n")
    (tmp_path / "other.clj").write_text("[assume two 2]\n[assume three thre]\n")
    server = Server(str(tmp_path / "m.clj"))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        asking = Asking(server)
        assert json.loads(asking.get("start").read())["text"] == "[predict 1]\n"
        text = '[predict 2]\n[include "other.clj"]\n'
        (mark,) = json.loads(asking.post("check", {"text": text, "own": True}).read())["marks"]
        assert text[mark["start"] : mark["end"]] == '[include "other.clj"]' and "other.clj:2: " in mark["text"]
        assert asking.post("save", {"text": text}).status == 404  # an example is not what the file has
        assert (tmp_path / "m.clj").read_text() == "[predict 1]\n"
        assert json.loads(asking.post("save", {"text": text, "own": True}).read())["saved"]
        assert (tmp_path / "m.clj").read_text() == text
        assert json.loads(asking.post("format", {"text": "[predict   ( + 1 2 )]"}).read())["text"] == (
            "[predict   (+ 1 2)]\n"
        )
    finally:
        server.shutdown()
        thread.join()
        server.close()


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    """It shows its address, serves, and an interrupt ends it and all that it has started."""
    (tmp_path / "m.clj").write_text(LONG)
    process = subprocess.Popen(
        [sys.executable, "-m", "pplc", "play", "m.clj", "--no-browser"], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    host, token = address.removeprefix("http://").rstrip("/").split("/")
    connection = HTTPConnection(host, timeout=60)
    connection.request("GET", f"/{token}/start")
    assert json.loads(connection.getresponse().read())["text"] == LONG
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    missing = subprocess.run(
        [sys.executable, "-m", "pplc", "play", "none.clj"], capture_output=True, text=True, check=False
    )
    assert missing.returncode == 2 and "none.clj" in missing.stderr
