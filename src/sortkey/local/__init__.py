"""A design on this machine: its engine, functions, APIs, schedules, consumers and fakes."""
