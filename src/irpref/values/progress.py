"""A progress bar, shown on a terminal only."""

from __future__ import annotations

import shutil
import sys

from irpref.messages import visible


class Bar:
    """A progress bar in one line on standard error.

    Parameters
    ----------
    n_steps : int
    show : bool
        None: show it if standard error is a terminal.
    """

    WIDTH = 30

    def __init__(self, n_steps: int, show: bool | None = None) -> None:
        self.show = sys.stderr.isatty() if show is None else show
        self.n_steps = n_steps
        self.done = 0

    def step(self, text: str) -> None:
        """Count one step and show what it does."""
        if self.show:
            full = self.WIDTH * self.done // self.n_steps
            bar = "#" * full + "." * (self.WIDTH - full)
            # A line longer than the screen would wrap and could not be overwritten.
            line = f"[{bar}] {self.done}/{self.n_steps} {visible(text)}"[
                : shutil.get_terminal_size().columns - 1
            ]
            print(f"\r{line}\033[K", end="", file=sys.stderr, flush=True)
        self.done += 1

    def close(self) -> None:
        """Clear the line."""
        if self.show:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
