"""The program as a user calls it: in a process, on a terminal."""
