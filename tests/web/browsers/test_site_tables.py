"""A table of the documentation's site that is wider than the screen becomes a list."""

from pathlib import Path
from typing import Any

STATIC = Path(__file__).parents[3] / "docs" / "_static"
NAMES = ("player", "opponent", "games", "won", "credits", "best responder")


def test_a_wide_table_is_a_list_on_a_phone(browser: Any) -> None:
    cells = "".join(f"<td>{name} in numbers</td>" for name in NAMES)
    head = "".join(f"<th>{name}</th>" for name in NAMES)
    page = browser.new_page(viewport={"width": 1200, "height": 600})
    page.set_content(
        f"<style>{(STATIC / 'site.css').read_text()} td {{ white-space: nowrap }}</style>"
        f"<script>{(STATIC / 'tables.js').read_text()}</script>"
        f"<div><table class='docutils'><thead><tr>{head}</tr></thead><tbody><tr>{cells}</tr></tbody></table></div>"
    )
    table = page.locator("table")
    assert table.evaluate("table => [...table.classList]") == ["docutils"]
    page.set_viewport_size({"width": 390, "height": 600})
    page.wait_for_selector("table.stacked")
    assert table.evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
    shown = "cell => getComputedStyle(cell, '::before').content"
    assert [page.locator("td").nth(i).evaluate(shown) for i in range(1, 6)] == [f'"{name}"' for name in NAMES[1:]]
    page.set_viewport_size({"width": 1200, "height": 600})
    page.wait_for_selector("table:not(.stacked)")
    page.close()
