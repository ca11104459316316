"""What programs do that nobody can wait for: they take the screen, ask, or never end.

The tables name programs, as nothing else tells. What is on none of them runs: if it waits
after all, it reads the end of its input, and it is ended at its time limit.
"""

import re

import msgspec


class Habit(msgspec.Struct, frozen=True, kw_only=True):
    """When a program needs somebody who types, and what is done in its place."""

    instead: str
    only: str = ""
    """It does so with such an argument alone."""
    quiet: str = ""
    """It does not with such an argument."""
    plain: int = 0
    """So many arguments that are no options leave nothing to ask."""
    reads: bool = True
    """It takes its answers from whatever is given to it to read."""

    def asks(self, arguments: list[str], *, fed: bool) -> bool:
        if self.reads and fed:
            return False
        if self.only and not _any(self.only, arguments):
            return False
        named = [a for a in arguments if a == "-" or not a.startswith("-")]
        enough = bool(self.plain) and len(named) >= self.plain
        return not enough and not (self.quiet and _any(self.quiet, arguments))


def _any(pattern: str, arguments: list[str]) -> bool:
    return any(re.fullmatch(pattern, argument, re.DOTALL) for argument in arguments)


def _names(programs: str, verbs: str = "") -> frozenset[str]:
    """Programs, each alone or with each of its first plain arguments."""
    return frozenset(
        f"{program} {verb}".rstrip()
        for program in programs.split()
        for verb in verbs.split() or [""]
    )


def _each(names: frozenset[str], habit: Habit) -> dict[str, Habit]:
    return dict.fromkeys(names, habit)


def _screen(names: str, instead: str, quiet: str = "") -> dict[str, Habit]:
    return _each(_names(names), Habit(instead=instead, quiet=quiet, reads=False))


_EDIT = "change files with edit_file or write_file, or with sed"
_LOOK = "ask once with a command that ends, such as ps, df or free"
_PAGE = "leave it out: the whole output is kept, and read_file shows a file in parts"
_FEED = "or give it what it reads by a pipe or a here-document"
_CODE = r"-\w*[cemfpv].*|--(?:eval|print|run|script|file|command|test).*"
_MESSAGE = r"-\w*[mFC].*|--(?:message|file|reuse-message|fixup|no-edit|dry-run).*"
_CHOOSE = "name the paths instead of choosing by hand"
_NO_DEBUGGER = "run it without the debugger, and print what you look for"
_TERMINAL = r"-[a-z]*t[a-z]*|--tty"

SHELLS = _names("sh bash dash zsh ksh ash fish")
INTERPRETERS = _names("python pypy ruby perl node php lua")

HABITS: dict[str, Habit] = {
    **_screen("vi vim nvim view vimdiff rvim ex", _EDIT, r"-\w*[eE]s\w*|--headless"),
    **_screen("nano pico joe ne micro hx helix kak mcedit", _EDIT),
    **_screen("emacs emacsclient", _EDIT, r"--?batch|--script.*|--eval|-e"),
    **_screen("less more most pg zless zmore", _PAGE),
    **_screen("top iotop", _LOOK, r"-\w*b\w*|--batch"),
    **_screen("htop btop atop iftop nload glances nmon ncdu watch k9s lazydocker", _LOOK),
    **_screen("tig lazygit gitk gitui", "use git with arguments"),
    **_screen("screen tmux byobu zellij", "use background and command_output"),
    **_screen("mc ranger nnn lf", "use ls, find and cp"),
    **_screen("fzf sk", "filter with grep", r"-f.*|--filter.*"),
    **_screen("dialog whiptail nmtui visudo vipw", "give the answer by arguments"),
    **_screen("lynx w3m links elinks", "print the page with -dump", r"--?dump|--?source"),
    **_each(
        _names("ipython irb pry deno julia ghci scala erl iex R octave racket guile sbcl ocaml")
        | INTERPRETERS,
        Habit(
            instead=f"name a file, or give the code as an argument {_FEED}", quiet=_CODE, plain=1
        ),
    ),
    **_each(SHELLS, Habit(instead=f"name the script, use -c, {_FEED}", plain=1)),
    "psql": Habit(instead=f"use -c, {_FEED}", quiet=r"-\w*[cfl].*|--(?:command|file|list).*"),
    **_each(_names("mysql mariadb"), Habit(instead=f"use -e, {_FEED}", quiet=r"-e.*|--execute.*")),
    **_each(
        _names("mongo mongosh"), Habit(instead=f"use --eval, {_FEED}", quiet=r"--eval.*|.*\.js")
    ),
    **_each(_names("sqlite sqlite3"), Habit(instead=f"name the statement, {_FEED}", plain=2)),
    **_each(
        _names("redis-cli bc dc"),
        Habit(instead=f"name what it is to do, {_FEED}", quiet=r"-[ef].*", plain=1),
    ),
    **_each(_names("gdb lldb"), Habit(instead=f"use --batch, {_FEED}", quiet=r"--?batch.*|-b")),
    **_each(_names("ed ftp sftp telnet passwd chsh"), Habit(instead="use a here-document")),
    **_each(_names("pdb ipdb pudb", "") | {"node inspect"}, Habit(instead=_NO_DEBUGGER)),
    **_each(_names("pytest py.test"), Habit(instead=_NO_DEBUGGER, only=r"--pdb|--trace")),
    "su": Habit(instead="run the command itself; you may do all there is to do here"),
    "script": Habit(instead="run the command by itself; its output is kept"),
    "crontab": Habit(instead="write the table to a file and give its name", only="-e"),
    "git commit": Habit(instead="give the message with -m", quiet=_MESSAGE),
    "git tag": Habit(
        instead="give the message with -m", only=r"-[as]|--annotate|--sign", quiet=_MESSAGE
    ),
    "git rebase": Habit(
        instead="set GIT_SEQUENCE_EDITOR to a command, or use git reset and commit",
        only=r"-i|--interactive",
    ),
    "git config": Habit(instead="set the value by an argument", only=r"-e|--edit"),
    "git add": Habit(instead=_CHOOSE, only=r"-\w*[ipe]\w*|--interactive|--patch|--edit"),
    "git clean": Habit(instead=_CHOOSE, only=r"-\w*i\w*|--interactive"),
    **_each(
        _names("git", "stash checkout reset restore"), Habit(instead=_CHOOSE, only=r"-p|--patch")
    ),
    **_each(
        _names("git", "mergetool difftool gui"),
        Habit(instead="use git diff, and settle conflicts with edit_file", quiet="-y|--no-prompt"),
    ),
    **_each(_names("npm yarn", "init"), Habit(instead="add --yes", quiet=r"-y|--yes|-f", plain=2)),
    **_each(
        _names("npm yarn pnpm docker gh", "login"),
        Habit(instead="there is no network here, and no account"),
    ),
    "poetry init": Habit(instead="add --no-interaction", quiet="-n|--no-interaction"),
    **_each(
        _names("docker podman kubectl", "run exec"),
        Habit(instead="leave out -t: there is no terminal", only=_TERMINAL, reads=False),
    ),
}
"""By program, or by program and its first plain argument."""

NO_QUESTION = frozenset({"--help", "--version", "-V", "-h"})

ENDLESS = (
    _names(
        "uvicorn gunicorn hypercorn daphne puma rackup http.server http-server live-server serve"
    )
    | _names(
        "json-server webpack-dev-server browser-sync caddy nginx streamlit jupyter tensorboard"
    )
    | _names("redis-server memcached mongod mysqld postgres")
    | _names("nodemon pytest-watch ptw watchexec watchmedo")
    | _names("manage.py django-admin", "runserver")
    | _names("flask fastapi", "run dev")
    | _names("artisan ng hugo jekyll mkdocs webpack gatsby vue-cli-service mdbook ollama", "serve")
    | _names("rails hugo", "server")
    | _names("rails ng", "s")
    | _names("next nuxt vite astro wrangler storybook react-scripts", "dev start serve preview")
    | _names("webpack cargo dotnet mdbook parcel", "watch")
    | _names("caddy streamlit", "run")
    | _names("jupyter", "lab notebook server")
    | _names("celery", "worker beat")
    | _names("docker docker-compose", "up")
    | _names("mix", "phx.server")
    | {"vite ", "parcel "}
)
"""What serves or follows: a program, or one with its first plain argument; `vite ` has none."""

ENDS_WITH = r"-d|--detach|--daemon|--(?:no-)?build"
"""Arguments with which one of them comes to an end."""
FOLLOWS = {
    "tail": r"-\w*[fF]\w*|--follow.*|--retry",
    "journalctl": r"-\w*f\w*|--follow",
    "docker": r"-f|--follow",
    "kubectl": r"-f|--follow",
    "tsc": r"-w",
    "php": r"-S",
}
WATCHES = r"--watch(?:All)?(?:=(?!false|0).*)?"
"""An argument that means the same everywhere."""
RUNNERS = {
    **dict.fromkeys(
        ("npm", "yarn", "pnpm", "bun"),
        r"(?:dev|start|serve|server|watch|preview|develop)(?::.*)?|.*:(?:dev|serve|watch)",
    ),
    **dict.fromkeys(
        ("make", "just", "task", "rake", "invoke"), r"(?:run-?)?(?:serve|server|watch)"
    ),
}
"""Programs that run what a project has named, and the names of what does not end."""
