"""The ``sortkey`` command."""
