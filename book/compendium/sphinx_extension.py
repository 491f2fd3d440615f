"""What the book asks of Sphinx beyond the settings in ``_config.yml``."""

from __future__ import annotations

from typing import Any

__all__ = ["setup"]


def setup(app: Any) -> dict[str, bool]:
    """Leave sphinx-thebe's scripts out of every page.

    Jupyter Book loads that extension always. The book does not offer its live cells,
    and its script is declared twice, which stops with an error in every browser.
    """
    app.connect("html-page-context", _without_thebe, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _without_thebe(_app: Any, _page: str, _template: str, context: dict[str, Any], _: Any) -> None:
    for kind in ("script_files", "css_files"):
        context[kind] = [
            file
            for file in context[kind]
            if "thebe" not in f"{file.filename} {file.attributes.get('body')}".lower()
        ]
