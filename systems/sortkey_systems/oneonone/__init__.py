"""One-on-One: language learners are matched in pairs for calls, paid with daily points."""
