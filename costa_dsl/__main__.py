"""`python -m costa_dsl` is the same as `costa`."""

from costa_dsl.cli.main import main

if __name__ == "__main__":
    main()
