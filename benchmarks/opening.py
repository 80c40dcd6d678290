"""How long `pplc play` takes from opening its page to the first posterior of programs/kalman.clj, in a real browser.

    python -m benchmarks.opening

The server has been started, as it is when the command prints its address. The button is pressed as soon as the page is
ready; the least and the middle of some tries are shown. It needs Chromium.
"""

from __future__ import annotations

import threading
import time
from statistics import median
from typing import Final

from tests.browser import tab

from benchmarks.effective_models import PROGRAMS
from pplc.play.server import Server

TRIES: Final = 9


def main() -> None:
    server = Server(str(PROGRAMS / "kalman.clj"))
    server.runs.warm()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    seconds = []
    try:
        with tab() as page:
            for _ in range(TRIES):
                page.open("about:blank")
                begun = time.monotonic()
                page.open(server.address)
                page.until("document.body.dataset.ready")
                page.value("by('run').click()")
                page.until("by('result').dataset.first")
                seconds.append(time.monotonic() - begun)
                page.value("by('stop').click()")
                page.until("by('stop').disabled")
    finally:
        server.shutdown()
        thread.join()
        server.close()
    print(
        f"opening to first posterior: {min(seconds):.2f} s at least, {median(seconds):.2f} s in the middle of {TRIES}"
    )


if __name__ == "__main__":
    main()
