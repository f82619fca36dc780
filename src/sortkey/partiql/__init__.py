"""PartiQL statements: their text, and the conditions, updates and projections that they state.

A statement is read in two steps, as DynamoDB reads it. `parser` turns text into the nodes of
`syntax` and knows grammar only. `statements` then gives each node its meaning: the same trees
that expressions have, so that a condition means the same in either language. A fault of the
grammar anywhere in the text therefore goes before every other fault.
"""
