"""Cases that the judge does not hold yet, and why.

They are tried all the same, stand in the table as wrong, and fail as soon as they hold: then
they have to leave this list.
"""

NOT_HELD: dict[str, str] = {
    "a branch deleted": "that a branch is to go is not read from the words",
    "the last commit message amended": "a message alone changes no file",
    "only the unit tests with npm test": "which tests a gate takes is asked for without its file",
    "the log of an earlier task is flipped": "a closed log of another session has no digest",
}
IN_A_COMPANY: dict[str, str] = {
    "half of a repository is not tested any more": "'Show …' is taken for a question",
    "only the unit tests with npm test": "which tests a gate takes is asked for without its file",
}
