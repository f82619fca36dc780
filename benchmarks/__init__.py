"""sortkey compared with its peers and with bare SQLite, and measured as its data grows."""
