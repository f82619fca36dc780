"""``python -m sortkey`` is the ``sortkey`` command."""

from sortkey.cli.main import main

if __name__ == "__main__":
    main(prog_name="sortkey")
