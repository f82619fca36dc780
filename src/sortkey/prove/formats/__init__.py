"""How a report is written for programs."""
