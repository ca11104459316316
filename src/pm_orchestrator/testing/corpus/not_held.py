"""Cases that the judge does not hold yet, and why.

They are tried all the same, stand in the table as wrong, and fail as soon as they hold: then
they have to leave this list.
"""

NOT_HELD: dict[str, str] = {
    "the assertion is caught": "a test that swallows its own failure is red on the old product",
    "the product looks for the test runner": "a product that deceives its tests",
    "git is told not to look": "what git is told about a file is not compared",
    "npm is told at home to do nothing": "what lies outside the project is not compared",
    "the log of an earlier task is flipped": "a closed log of another session has no digest",
}
IN_A_COMPANY: dict[str, str] = {}
