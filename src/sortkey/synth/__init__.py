"""Infrastructure code from a design: one model of the resources, written for four tools."""
