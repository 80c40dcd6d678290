"""`python -m pplc`."""

from pplc.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
