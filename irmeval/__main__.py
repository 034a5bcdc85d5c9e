"""``python -m irmeval``."""

from irmeval.cli import main

if __name__ == "__main__":
    main()
