"""The language server of `pplc lsp`: errors as you type, completion, hover, signatures and definitions.

It speaks the language server protocol by pygls (the extra `lsp`). What it knows comes from `editing` and `vocabulary`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from pplc.diagnostics import CompileError
from pplc.editing import Definition, call_at, definition_of, marks, names_at, word_at
from pplc.include import gathered
from pplc.layout import formatted
from pplc.passes.read import read
from pplc.source import Source, Span
from pplc.vocabulary import Word, words
from pplc_runtime.version import VERSION

NAME: Final = "pplc"
KINDS: Final = {
    "statement": types.CompletionItemKind.Keyword,
    "form": types.CompletionItemKind.Keyword,
    "distribution": types.CompletionItemKind.Class,
    "process": types.CompletionItemKind.Class,
    "procedure": types.CompletionItemKind.Function,
    "constant": types.CompletionItemKind.Constant,
}
SEVERITIES: Final = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}


def source_of(document: TextDocument) -> Source:
    """A document as the compiler takes it: what it includes is in the folder of its file."""
    path = to_fs_path(document.uri)
    if not document.uri.startswith("file:") or path is None:
        return Source(document.uri, document.source)
    return Source(path, document.source, os.path.dirname(path))


def diagnostics(document: TextDocument) -> list[types.Diagnostic]:
    """What the compiler says of a document."""
    return [
        types.Diagnostic(
            _range(document, Span(mark.start, mark.end)), mark.message, SEVERITIES[mark.severity], source=NAME
        )
        for mark in marks(source_of(document))
    ]


def completions(document: TextDocument, position: types.Position) -> list[types.CompletionItem]:
    """The names that may stand at a position: those of the program that it sees, and those of the language."""
    text = document.source
    own = names_at(text, document.offset_at_position(position))
    found = [
        types.CompletionItem(
            name, kind=types.CompletionItemKind.Variable, detail=_line(text, each), sort_text=f"0{name}"
        )
        for name, each in own.items()
    ]
    return found + [
        types.CompletionItem(
            word.name, kind=KINDS[word.kind], detail=word.forms[0], documentation=_markdown(word.text),
            sort_text=f"1{word.name}",
        )
        for word in words().values()
        if word.name not in own
    ]  # fmt: skip


def hover(document: TextDocument, position: types.Position) -> types.Hover | None:
    """What is known of the word at a position: its definition in the program, or what the tables say."""
    text, offset = document.source, document.offset_at_position(position)
    found = word_at(text, offset)
    if found is None:
        return None
    name, span = found
    own = definition_of(text, offset)
    if own is not None:
        return types.Hover(_markdown(f"```clojure\n{_line(text, own)}\n```"), _range(document, span))
    word = words().get(name) or words().get(name.removesuffix("-dist"))
    return None if word is None else types.Hover(_markdown(word.text), _range(document, span))


def signature(document: TextDocument, position: types.Position) -> types.SignatureHelp | None:
    """How the form around a position is written."""
    text, offset = document.source, document.offset_at_position(position)
    head = call_at(text, offset)
    word = None if head is None else words().get(head)
    if word is None or head in names_at(text, offset):
        return None
    return types.SignatureHelp([types.SignatureInformation(form, _markdown(word.says)) for form in _calls(word)], 0)


def _calls(word: Word) -> tuple[str, ...]:
    return word.forms


def definition(document: TextDocument, position: types.Position) -> types.Location | None:
    """Where the name at a position is defined, also in an included file."""
    text, offset = document.source, document.offset_at_position(position)
    own = definition_of(text, offset)
    if own is not None:
        return types.Location(document.uri, _range(document, own.span))
    try:
        whole = gathered(source_of(document))
    except CompileError:
        return None
    found = definition_of(whole.text, offset)
    piece = None if found is None else whole.piece(found.span.start)
    if found is None or piece is None:
        return None
    uri = from_fs_path(os.path.abspath(piece.name))
    if uri is None:
        return None
    end = next((each.start - 1 for each in whole.pieces if each.start > piece.start), len(whole.text))
    there = TextDocument(uri, whole.text[piece.start : end])
    return types.Location(uri, _range(there, Span(found.span.start - piece.start, found.span.end - piece.start)))


def layout(document: TextDocument) -> list[types.TextEdit]:
    """A document in its layout, as `pplc fmt` writes it; what cannot be read stays as it is."""
    text = document.source
    try:
        read(Source("<text>", text))
    except CompileError:
        return []
    written = formatted(text)
    return [] if written == text else [types.TextEdit(_range(document, Span(0, len(text))), written)]


def _range(document: TextDocument, span: Span) -> types.Range:
    start, end = (document.client_position_at_offset(min(place, len(document.source))) for place in span)
    return types.Range(start, end)


def _line(text: str, found: Definition) -> str:
    """The first line of what defines a name."""
    return text[found.form.start : found.form.end].partition("\n")[0].rstrip()


def _markdown(text: str) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def new_server() -> LanguageServer:
    """A server that can be started."""
    server = LanguageServer(NAME, VERSION, text_document_sync_kind=types.TextDocumentSyncKind.Incremental)

    def document(uri: str) -> TextDocument:
        return server.workspace.get_text_document(uri)

    def tell(uri: str) -> None:
        own = document(uri)
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics(own), version=own.version)
        )

    def at(answer: Callable[[TextDocument, types.Position], Any]) -> Callable[[Any], Any]:
        return lambda asked: answer(document(asked.text_document.uri), asked.position)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(asked: types.DidOpenTextDocumentParams) -> None:
        tell(asked.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(asked: types.DidChangeTextDocumentParams) -> None:
        tell(asked.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(asked: types.DidCloseTextDocumentParams) -> None:
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(asked.text_document.uri, []))

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def format(asked: types.DocumentFormattingParams) -> list[types.TextEdit]:
        return layout(document(asked.text_document.uri))

    server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["(", "["]))(
        at(completions)
    )
    server.feature(types.TEXT_DOCUMENT_HOVER)(at(hover))
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(at(definition))
    server.feature(
        types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(trigger_characters=[" "])
    )(at(signature))  # fmt: skip
    return server
