"""Looking over the machine and the project, and saying what to do about what is wrong."""
