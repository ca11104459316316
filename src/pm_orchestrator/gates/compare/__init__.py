"""Are the checks and their results worse than before the task?"""
