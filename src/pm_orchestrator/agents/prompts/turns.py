"""What is said to a worker's model between its turns."""

NUDGE = "Go on with a tool call, or call task_complete when the work is committed."
NUDGE_ASKED = "Go on with a tool call, or call task_complete with your answer."
CUT = (
    "Your answer was cut at its length limit. Go on in smaller pieces: write a long file with "
    "write_file first and then with append."
)
CUT_CALL = "not done: your answer was cut before this call was complete. Make it again, in pieces."
GONE = (
    "the sandbox ended while this was done; you are in a new one, with your files and commits as "
    "they were before. Do it in another way."
)
REPEATED = (
    "You have made the same call several times and got the same error. It will not change by "
    "itself: look for the reason, or do it in another way."
)


def turns_left(turns: int, *, asked: bool) -> str:
    """Said near the end."""
    only = "This is your last turn" if turns == 1 else f"You have {turns} turns left"
    return f"{only}: {_last_words(asked=asked)}"


def tokens_left(tokens: int, *, asked: bool) -> str:
    """Said when most of them are used."""
    return f"You have about {tokens} tokens left: {_last_words(asked=asked)}"


def _last_words(*, asked: bool) -> str:
    if asked:
        return "call task_complete with what you know."
    return "commit what is done, then call task_complete."
