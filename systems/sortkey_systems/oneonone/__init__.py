"""One-on-One: language learners are matched in pairs for a call that they pay with daily points."""
