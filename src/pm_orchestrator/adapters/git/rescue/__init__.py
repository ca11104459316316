"""The user's files of one moment, saved in git and put back."""
