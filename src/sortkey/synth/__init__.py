"""Infrastructure code from a design: one model of what is deployed, written for four tools."""
