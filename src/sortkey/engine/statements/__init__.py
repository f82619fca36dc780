"""PartiQL statements carried out: what their conditions say of keys, their pages and their writes.

Only the actions for statements import this package, when the first statement arrives.
"""
