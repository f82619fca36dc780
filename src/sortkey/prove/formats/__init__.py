"""Formats of a report: JSON, HTML, and the blocks of text that terminal and page share."""
