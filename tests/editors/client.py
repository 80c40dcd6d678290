"""A client of the language server over standard input and output, as an editor is one; written out, so that what goes
over the wire is what is tested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


class Editor:
    """An editor with the server as its child."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pplc", "lsp"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        self.number = 0
        self.waiting: list[dict[str, Any]] = []
        self.capabilities = self.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}})
        self.tell("initialized", {})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        assert length, "the server has gone"
        found: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return found

    def tell(self, method: str, parameters: Any) -> None:
        self.send({"method": method, "params": parameters})

    def ask(self, method: str, parameters: Any) -> Any:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        while (answer := self.receive()).get("id") != self.number:
            self.waiting.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def diagnostics(self) -> list[dict[str, Any]]:
        """What the server says next of a document."""
        while True:
            message = self.waiting.pop(0) if self.waiting else self.receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                found: list[dict[str, Any]] = message["params"]["diagnostics"]
                return found

    def open(self, path: Path, text: str) -> Document:
        return Document(self, path, text)

    def close(self) -> int:
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(30)


class Document:
    """A text that is open in the editor; `|` in what is looked for is the cursor."""

    def __init__(self, editor: Editor, path: Path, text: str) -> None:
        self.editor, self.uri, self.text, self.version = editor, path.as_uri(), text, 1
        told = {"uri": self.uri, "languageId": "pplc", "version": 1, "text": text}
        editor.tell("textDocument/didOpen", {"textDocument": told})
        self.problems = editor.diagnostics()

    def change(self, old: str, new: str) -> None:
        """Replace a part of the text, as typing does."""
        start, end = self.place(f"|{old}"), self.place(f"{old}|")
        self.text = self.text.replace(old, new, 1)
        self.version += 1
        told = {"uri": self.uri, "version": self.version}
        change = {"range": {"start": start, "end": end}, "text": new}
        self.editor.tell("textDocument/didChange", {"textDocument": told, "contentChanges": [change]})
        self.problems = self.editor.diagnostics()

    def place(self, around: str) -> dict[str, int]:
        """The position of the cursor, in UTF-16 units."""
        before, _, after = around.partition("|")
        offset = self.text.index(before + after) + len(before)
        line = self.text.count("\n", 0, offset)
        column = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return {"line": line, "character": len(column.encode("utf-16-le")) // 2}

    def ask(self, method: str, around: str) -> Any:
        asked = {"textDocument": {"uri": self.uri}, "position": self.place(around)}
        return self.editor.ask(f"textDocument/{method}", asked)

    def at(self, found: dict[str, Any]) -> str:
        """The text of a range."""
        lines = self.text.splitlines()
        start, end = found["start"], found["end"]
        assert start["line"] == end["line"]
        units: bytes = lines[start["line"]].encode("utf-16-le")
        first, last = int(start["character"]), int(end["character"])
        return units[2 * first : 2 * last].decode("utf-16-le")
