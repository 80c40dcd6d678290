"""How long it takes to compile: 10,000 statements that differ in literals, and a data literal of 10 MB."""

from __future__ import annotations

from random import Random
from time import process_time

from pplc.pipeline import compile_source
from pplc.source import Source


def main() -> None:
    rng = Random(1)
    lines = [f"[observe (normal (* mu {i % 7}) 1.5) {rng.gauss(0, 1):.4f}]" for i in range(10_000)]
    statements = "[assume mu (sample (normal 0 1))]\n" + "\n".join(lines)
    numbers = " ".join(f"{rng.gauss(0, 1):.6f}" for _ in range(1_100_000))
    for name, text in (("10,000 statements", statements), ("10 MB of data", f"[assume y [{numbers}]]\n[predict y]")):
        start = process_time()
        compile_source(Source("m.clj", text))
        print(f"{name}: {process_time() - start:.2f} s")


if __name__ == "__main__":
    main()
