"""Judging a design: one rule a file, run over the plan that the executor sends."""
