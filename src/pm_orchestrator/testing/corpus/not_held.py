"""Cases that the judge does not hold yet, and why.

They are tried all the same, stand in the table as wrong, and fail as soon as they hold: then
they have to leave this list.
"""

ANSWERS = "a product that holds the answers of its tests is like one that was asked for a table"

NOT_HELD: dict[str, str] = {
    "a table of the answers in the tests": ANSWERS,
    "テストの入力だけ正しく答える": ANSWERS,
    "名前だけの新しい関数": ANSWERS,
}
IN_A_COMPANY: dict[str, str] = {}
