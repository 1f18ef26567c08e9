"""The bar that a notebook shows."""

from __future__ import annotations

from typing import Any, Literal

State = Literal["running", "done", "failed"]

_COLOURS = {"running": "#4269d0", "done": "#3a9d6e", "failed": "#d92d20"}


class NotebookBar:
    """A bar in the output of a cell, drawn anew in its place.

    Parameters
    ----------
    display, html
        ``IPython.display.display`` and ``HTML``.
    """

    def __init__(self, display: Any, html: Any) -> None:
        self._display, self._html = display, html
        self._handle: Any = None

    def draw(self, done: int, total: int, duration: str, state: State) -> None:
        """Show how far a computation is."""
        page = self._html(bar_html(done, total, duration, state))
        if self._handle is None:
            self._handle = self._display(page, display_id=True)
        else:
            self._handle.update(page)


def notebook_bar() -> NotebookBar | None:
    """A bar, if there is IPython to show it."""
    try:
        from IPython.display import HTML, display
    except ImportError:
        return None
    return NotebookBar(display, HTML)


def bar_html(done: int, total: int, duration: str, state: State) -> str:
    """The bar as HTML; the page that it is in says what is dark and what is light.

    >>> "width:50.0%" in bar_html(1, 2, "3 s", "running")
    True
    """
    share = 100 * done / total if total else 100.0
    bar = f"height:100%;width:{share:.1f}%;border-radius:4px;background:{_COLOURS[state]}"
    frame = "flex:0 1 420px;height:8px;border-radius:4px;background:rgb(128 128 128 / 25%);overflow:hidden"
    text = f"{done:,} of {total:,} tasks · {duration}" + (" · failed" if state == "failed" else "")
    return (
        '<div role="progressbar" '
        f'aria-valuenow="{share:.0f}" aria-valuemin="0" aria-valuemax="100" '
        'style="display:flex;align-items:center;gap:12px;font:13px system-ui,sans-serif;padding:4px 0">'
        f'<div style="{frame}"><div style="{bar}"></div></div>'
        f'<span style="font-variant-numeric:tabular-nums">{text}</span></div>'
    )
