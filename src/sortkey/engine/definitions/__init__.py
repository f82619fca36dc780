"""Definitions of tables: validated, stored, changed and described, without any access to items."""
