"""Cases that the judge does not hold yet, and why.

They are tried all the same, stand in the table as wrong, and fail as soon as they hold: then
they have to leave this list.
"""

NOT_HELD: dict[str, str] = {
    "only the unit tests with npm test": "which tests a gate takes is asked for without its file",
}
IN_A_COMPANY: dict[str, str] = {
    "only the unit tests with npm test": "which tests a gate takes is asked for without its file",
}
