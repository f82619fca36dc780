"""What a table is declared to be: checked, kept, changed and described. No item is touched here."""
