"""One file for each command, loaded when it is called."""
