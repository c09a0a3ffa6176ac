"""`python -m maxcode` is the program `maxcode`."""

from maxcode.cli.main import main

if __name__ == "__main__":
    main()
