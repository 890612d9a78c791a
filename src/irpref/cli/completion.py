"""`irpref completion bash|zsh|fish`: completion of commands, options and their values, for a shell.

    bash   irpref completion bash > ~/.local/share/bash-completion/completions/irpref
    zsh    irpref completion zsh > ~/.zfunc/_irpref     (a folder of fpath)
    fish   irpref completion fish > ~/.config/fish/completions/irpref.fish

What is no option is a file, or a measure where one can stand.
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
    """A command, or a kind of one: what can follow it.

    Attributes
    ----------
    words : tuple of str
        The command, and the kind.
    kinds : dict of str to str
        Words that one of must follow, and what they are.
    options : list of Action
    names : list of str
        All spellings of the options.
    first : int or None
        How many arguments stand before the first measure; None where no measures are taken.
    """

    def __init__(self, words: tuple[str, ...], kinds: dict[str, str], options: list[Any], first: int | None) -> None:
        self.words, self.kinds, self.options, self.first = words, kinds, options, first
        self.names = [name for option in options for name in option.option_strings]


def _places(parser: argparse.ArgumentParser, words: tuple[str, ...]) -> Iterator[_Place]:
    # argparse has no other way to look at a parser; its own help is made of these.
    shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    below = next((a for a in shown if isinstance(a, argparse._SubParsersAction)), None)
    kinds = {a.dest: str(a.help or "") for a in below._choices_actions} if below else {}
    values = [a for a in shown if not a.option_strings and a.choices and a is not below]
    kinds |= {str(choice): "" for action in values for choice in action.choices or ()}
    options = [action for action in shown if action.option_strings]
    only = any(action.metavar == "MEASURE" for action in shown if not action.option_strings)
    first = 0 if only else 2 if any(map(_takes_measure, options)) else None
    yield _Place(words, kinds, options, first)
    for name, parsed in (below.choices if below else {}).items():
        yield from _places(parsed, (*words, name))


def _takes_measure(option: Any) -> bool:
    return option.dest == "measure" or option.metavar == "MEASURE"


def _measures() -> str:
    from irpref.cli.listing import listed

    return " ".join(str(measure.NAME) for measure in listed())


def _cases(places: list[_Place]) -> list[str]:
    """What bash and zsh share: from the words `before` the one that is typed, what to `offer`."""
    offered, values, measured = [], [], []
    for place in places:
        at = quote(" ".join(place.words))
        offered.append(f"    {at}) offer={quote(' '.join(place.kinds))} options={quote(' '.join(place.names))} ;;")
        if place.first is not None:
            measured.append(f"    {at}) first={place.first} ;;")
        for option in place.options:
            before = "|".join(quote(" ".join([*place.words, name])) for name in option.option_strings)
            if option.choices:
                values.append(f"    {before}) offer={quote(' '.join(map(str, option.choices)))}; only=1 ;;")
            elif _takes_measure(option):
                values.append(f"    {before}) offer=$measures; only=1 ;;")
    known = "|".join(quote(" ".join(place.words)) for place in places if place.words)
    return [
        f'  local at="" prev="" word offer="" options="" only="" first="" n=0 measures={quote(_measures())}',
        '  for word in "${before[@]}"; do',
        f'    case "${{at:+$at }}$word" in {known}) at="${{at:+$at }}$word" ;; *)',
        '      case "$word" in -?*) ;; *) n=$((n + 1)) ;; esac ;;',
        "    esac",
        '    prev="$word"',
        "  done",
        '  case "$at" in',
        *offered,
        "  esac",
        '  case "$at" in',
        *measured,
        "  esac",
        '  case "$cur" in',
        '    -*) offer="$options" ;;',
        # Where a run may stand, too, names of measures are too many to be shown unasked.
        '    *) [ -z "$first" ] || [ "$n" -lt "$first" -a -z "$cur" ] || offer="$offer $measures" ;;',
        "  esac",
        '  case "${at:+$at }$prev" in',
        *values,
        "  esac",
    ]


def _bash(places: list[_Place]) -> str:
    return "\n".join(
        [
            "_irpref() {",
            '  local cur="${COMP_WORDS[COMP_CWORD]}" before=("${COMP_WORDS[@]:1:COMP_CWORD-1}")',
            *_cases(places),
            '  COMPREPLY=($(compgen -W "$offer" -- "$cur"))',
            '  [ -n "$only" ] || case "$cur" in -*) ;; *) COMPREPLY+=($(compgen -f -- "$cur")) ;; esac',
            "}",
            "complete -o filenames -F _irpref irpref",
            "",
        ]
    )


def _zsh(places: list[_Place]) -> str:
    return "\n".join(
        [
            "#compdef irpref",
            "_irpref() {",
            '  local cur="$PREFIX" before=("${(@)words[2,CURRENT-1]}")',
            *_cases(places),
            "  compadd -- ${=offer}",
            '  [ -n "$only" ] || case "$cur" in -*) ;; *) _files ;; esac',
            "}",
            # The file is the function until it is first called; a shell that reads it as a script is told of it.
            'if [ "$funcstack[1]" = _irpref ]; then _irpref "$@"; else compdef _irpref irpref; fi',
            "",
        ]
    )


def _fish(places: list[_Place]) -> str:
    measures = _measures()
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
        if place.first is not None:
            seen.append(f"test (count (commandline -opc)) -gt {len(place.words) + place.first}")
            out.append(f"complete -c irpref -n {quote('; and '.join(seen))} -a {quote(measures)} -d measure")
        for option in place.options:
            names = [f"-{'s' if len(name) == 2 else 'l'} {quote(name.lstrip('-'))}" for name in option.option_strings]
            value = ""
            if option.choices:
                value = f" -x -a {quote(' '.join(map(str, option.choices)))}"
            elif _takes_measure(option):
                value = f" -x -a {quote(measures)}"
            elif option.nargs != 0:
                value = " -r"
            out.append(f"{when} {' '.join(names)}{value} -d {quote(_one_line(option))}")
    return "\n".join(out) + "\n"


def _one_line(option: Any) -> str:
    return " ".join(str(option.help or "").replace("%(default)s", str(option.default)).split())


COMMAND = Command(run, _arguments, __doc__)
