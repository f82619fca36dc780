"""Tests of the pytest plugin run suites of their own."""

pytest_plugins = ["pytester"]
