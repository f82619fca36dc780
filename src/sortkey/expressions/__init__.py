"""DynamoDB's expression language: read from text, evaluated on items, and rendered again.

Import its modules one by one: code that only renders a tree need not load the parsers.
"""
