"""The pplc command: finds the verb, and turns every way to fail into a message and an exit code.

`pplc --help` must start as fast as Python itself, so this file imports nothing: neither argparse (which
brings `re`) nor typing, and each verb is imported when it is called.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

OK, USAGE = 0, 2

VERBS = {
    "infer": "draw from the posterior of a model and show a summary",
    "compile": "translate a model to a Python module",
    "check": "report the errors and warnings of models",
    "test": "test whether a method is exact on a model",
    "fmt": "write models in one layout",
    "repl": "write a model in the terminal, and infer as it grows",
    "play": "a page in the browser to write models and see them inferred",
    "lsp": "serve an editor: errors as you type, completion, hover, definitions",
    "summary": "show the summary of draws in a file",
    "plot": "draw a picture of draws in a file",
}

HELP = f"""usage: pplc VERB FILE [option ...]

A compiler for probabilistic programs.

verbs:
{chr(10).join(f"  {verb:<9} {does}" for verb, does in VERBS.items())}

`pplc VERB --help` explains a verb's options.

options:
  -h, --help     show this text
  --version      show the version

exit codes: 0 all well, 1 an error in the model or the run, 2 wrong usage, 130 interrupted
"""


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run the command; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except (KeyboardInterrupt, BrokenPipeError) as cause:
        from pplc_runtime.command.failures import ended

        return ended(cause)


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        sys.stderr.write(HELP)
        return USAGE
    verb = arguments[0]
    if verb in ("-h", "--help", "help"):
        sys.stdout.write(HELP)
        return OK
    if verb in ("-V", "--version"):
        from importlib.metadata import version

        print(f"pplc {version('pplc')}")
        return OK
    if verb not in VERBS:
        from pplc_runtime.suggestions import suggestion

        kind = "option" if verb.startswith("-") else "verb"
        print(f"pplc: error: unknown {kind} '{verb}'{suggestion(verb, VERBS)}", file=sys.stderr)
        print("`pplc --help` lists the verbs", file=sys.stderr)
        return USAGE
    from importlib import import_module

    from pplc.diagnostics import CompileError
    from pplc_runtime.command.failures import run_command

    module = import_module(f"pplc.cli.{verb}")
    return run_command(module.parser(), module.run, arguments[1:], CompileError)
