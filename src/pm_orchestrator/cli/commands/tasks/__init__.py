"""Commands that have a task begun, gone on with, ended or undone."""
