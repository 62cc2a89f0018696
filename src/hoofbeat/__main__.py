"""`python -m hoofbeat` is the command line."""

from hoofbeat.cli import main

if __name__ == "__main__":
    main()
