"""Pages made from a design: the item catalog, its diagrams and its access-pattern matrix."""
