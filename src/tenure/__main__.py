"""`python -m tenure` is the command `tenure`."""

from .cli import main

if __name__ == "__main__":
    main()
