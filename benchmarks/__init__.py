"""sortkey measured side by side with its peers, against bare SQLite, and as its data grows."""
