"""``python -m raskt``: the command `raskt`."""

from raskt._cli import main

if __name__ == "__main__":
    main()
