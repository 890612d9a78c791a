"""`irpref completion bash|zsh|fish`: completion of commands, options and their values, for a shell.

    bash   irpref completion bash > ~/.local/share/bash-completion/completions/irpref
    zsh    irpref completion zsh > ~/.zfunc/_irpref     (a folder of fpath)
    fish   irpref completion fish > ~/.config/fish/completions/irpref.fish

What is no option is a file, or a measure that one types.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from shlex import quote
from typing import Any

from irpref.cli import frame
from irpref.cli.frame import Command, Parser

SHELLS = ("bash", "zsh", "fish")


def _arguments(parser: Parser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell")
    parser.add_argument("-f", "--file", metavar="FILE", help="write there")


def run(args: argparse.Namespace) -> None:
    """Print the script."""
    from irpref.cli import whole_parser

    written = {"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell](list(_places(whole_parser(), ())))
    with frame.opened(args) as out:
        out.write(written)


class _Place:
    """A command, or a kind of one: what can follow it."""

    def __init__(self, words: tuple[str, ...], kinds: dict[str, str], options: list[Any]) -> None:
        self.words, self.kinds, self.options = words, kinds, options
        self.names = [name for option in options for name in option.option_strings]


def _places(parser: argparse.ArgumentParser, words: tuple[str, ...]) -> Iterator[_Place]:
    # argparse has no other way to look at a parser; its own help is made of these.
    shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    below = next((a for a in shown if isinstance(a, argparse._SubParsersAction)), None)
    kinds = {a.dest: str(a.help or "") for a in below._choices_actions} if below else {}
    values = [a for a in shown if not a.option_strings and a.choices and a is not below]
    kinds |= {str(choice): "" for action in values for choice in action.choices or ()}
    yield _Place(words, kinds, [action for action in shown if action.option_strings])
    for name, parsed in (below.choices if below else {}).items():
        yield from _places(parsed, (*words, name))


def _bash(places: list[_Place]) -> str:
    cases = []
    values = []
    for place in places:
        words = " ".join([*place.kinds, *place.names])
        cases.append(f"    {quote(' '.join(place.words))}) words={quote(words)} ;;")
        for option in place.options:
            if option.choices:
                before = "|".join(quote(" ".join([*place.words, name])) for name in option.option_strings)
                values.append(f"    {before}) words={quote(' '.join(map(str, option.choices)))}; only=1 ;;")
    known = "|".join(quote(" ".join(place.words)) for place in places if place.words)
    return "\n".join(
        [
            "_irpref() {",
            '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" at="" word words="" only=""',
            '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
            f'    case "${{at:+$at }}$word" in {known}) at="${{at:+$at }}$word" ;; esac',
            "  done",
            '  case "$at" in',
            *cases,
            "  esac",
            '  case "${at:+$at }$prev" in',
            *values,
            "  esac",
            '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
            '  [ -n "$only" ] || case "$cur" in -*) ;; *) COMPREPLY+=($(compgen -f -- "$cur")) ;; esac',
            "}",
            "complete -o filenames -F _irpref irpref",
            "",
        ]
    )


def _zsh(places: list[_Place]) -> str:
    # zsh runs functions of bash.
    return "#compdef irpref\nautoload -Uz bashcompinit && bashcompinit\n" + _bash(places)


def _fish(places: list[_Place]) -> str:
    out = ["complete -c irpref -e"]
    for place in places:
        if place.words:
            seen = [f"__fish_seen_subcommand_from {quote(word)}" for word in place.words]
            # A word that follows is another place.
            seen += [f"not __fish_seen_subcommand_from {' '.join(map(quote, place.kinds))}"] * (
                bool(place.kinds) and len(place.words) == 1
            )
        else:
            seen = ["__fish_use_subcommand"]
        when = f"complete -c irpref -n {quote('; and '.join(seen))}"
        out += [f"{when} -f -a {quote(kind)} -d {quote(help)}" for kind, help in place.kinds.items()]
        for option in place.options:
            names = [f"-{'s' if len(name) == 2 else 'l'} {quote(name.lstrip('-'))}" for name in option.option_strings]
            value = ""
            if option.choices:
                value = f" -x -a {quote(' '.join(map(str, option.choices)))}"
            elif option.nargs != 0:
                value = " -r"
            out.append(f"{when} {' '.join(names)}{value} -d {quote(_one_line(option))}")
    return "\n".join(out) + "\n"


def _one_line(option: Any) -> str:
    return " ".join(str(option.help or "").replace("%(default)s", str(option.default)).split())


COMMAND = Command(run, _arguments, __doc__)
