"""How things look: weight and reversal only, so that they show on any background.

Nothing is told by colour alone, and no colour is named that vanishes on white or on black.
"""

from prompt_toolkit.styles import Style

STYLE = Style.from_dict(
    {
        "prompt": "bold",
        "question": "bold",
        "selected": "bold",
        "key": "bold",
        "note": "bold",
        "offered": "dim",
        "bottom-toolbar": "noreverse",
        "bottom-toolbar.text": "noreverse",
        "validation-toolbar": "noinherit bold",
        "completion-menu": "noinherit",
        "completion-menu.completion": "noinherit",
        "completion-menu.completion.current": "noinherit reverse",
        "completion-menu.meta.completion": "noinherit dim",
        "completion-menu.meta.completion.current": "noinherit reverse",
        "scrollbar.background": "noinherit",
        "scrollbar.button": "noinherit reverse",
    }
)
