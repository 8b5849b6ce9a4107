"""Running a command that somebody asked to run, within bounds, and saying in which environment."""
