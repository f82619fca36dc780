"""A stack as a CDK program: one program, written in TypeScript or in Python."""
