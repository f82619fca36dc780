"""DynamoDB's expression language: read from text, evaluated on items, and rendered again.

Its parts are imported one by one: whoever only renders a tree need not load the parsers.
"""
