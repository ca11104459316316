"""Cases that the judge does not hold yet, and why.

They are tried all the same, stand in the table as wrong, and fail as soon as they hold: then
they have to leave this list.
"""

NOT_HELD: dict[str, str] = {}
IN_A_COMPANY: dict[str, str] = {}
