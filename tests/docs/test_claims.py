"""Claims of strength, completeness or equality on pages are those of results/claims.toml, with their proof."""

import fnmatch
import re
import tomllib
from collections.abc import Iterator

import pytest
from doc_commands import PAGES, ROOT

from blocks import BLOCK
from cardgym.papers.pages import BY_HAND
from matches import HERE

CLAIM = re.compile(
    r"\b(strongest|weakest|fastest|slowest|identical|bit for bit|same (bits|bytes)|guarantee[sd]?|nobody|none|never"
    r"|no (other|listed|player|opponent|agent|responder)|only|every|everything|(?<!\bat )(?<!\bafter )(?<!\bin )all"
    r"|best(?!([- ]of[- ])|[- ]respon)|always|cannot|exact(ly)?|first (to|of its kind|library|suite))\b",
    re.IGNORECASE,
)
CLAIMS: dict[str, dict[str, str]] = tomllib.loads((HERE / "claims.toml").read_text(encoding="utf-8"))
"""The claims by page; a page is named by a pattern such as `checkpoints/*/*.md`."""
SKIPPED = ("CHANGELOG.md", "reference.md")
"""The page of changes, and pages that code makes."""
BY_WORDS = re.compile(r"^\| \d[\d., ]*\|[^|\n]*\|  \|.*\|$", re.MULTILINE)
"""A row of a paper's claims that has no range: its verdict is a sentence, not a figure."""
_FENCE = re.compile(r"^```.*?^```|^---\n.*?^---\n", re.DOTALL | re.MULTILINE)


def sentences(text: str) -> Iterator[str]:
    """Split a page into sentences, items and rows, without code, what the results render, and targets of links."""
    text = re.sub(r"\]\([^)]*\)", "]", BLOCK.sub("", _FENCE.sub("", text)))
    for block in re.split(r"\n\s*\n|\n(?=[|#]|- |\d\. )", text):
        yield from re.split(r"(?<=[.!?:;])\s+(?=[A-Z`*\[(])", " ".join(block.split()))


def claims_of(text: str) -> list[str]:
    """List the sentences of a page that claim strength, completeness or equality, and a paper's verdicts by words.

    The other sentences that `cardgym reproduce` writes follow from figures.
    """
    made, by_hand, rest = text.partition(BY_HAND)
    rows = [" ".join(row.split()) for row in BY_WORDS.findall(made)] if by_hand else []
    return rows + [sentence for sentence in sentences(rest if by_hand else text) if CLAIM.search(sentence)]


def unproven(text: str, page: str = "") -> list[str]:
    """List the claims of a page that are not in results/claims.toml."""
    known = [claim for pattern, claims in CLAIMS.items() if fnmatch.fnmatch(page, pattern) for claim in claims]
    return [sentence for sentence in claims_of(text) if not any(claim in sentence for claim in known)]


def pages() -> dict[str, str]:
    """The text of each page that is read here, by its name."""
    names = {page.relative_to(ROOT).as_posix(): page for page in (*PAGES, *ROOT.glob("src/cardgym/games/*/*.md"))}
    return {name: page.read_text(encoding="utf-8") for name, page in names.items() if not name.endswith(SKIPPED)}


def test_every_claim_on_a_page_has_its_proof() -> None:
    new = [f"{name}: {claim}" for name, text in pages().items() for claim in unproven(text, name)]
    assert not new, "mend or delete these sentences, or say in results/claims.toml what proves them:\n" + "\n".join(new)


def test_listed_claims_are_on_their_pages_and_their_proofs_exist() -> None:
    texts = {name: claims_of(text) for name, text in pages().items()}
    for pattern, claims in CLAIMS.items():
        found = [sentence for name in fnmatch.filter(texts, pattern) for sentence in texts[name]]
        assert [claim for claim in claims if not any(claim in sentence for sentence in found)] == [], pattern
        for claim, proof in claims.items():
            path, _, inside = proof.partition("::")
            path = path.partition(" ")[0]
            if "/" not in path:
                assert path in ("definition:", "source:", "advice:"), f"{claim}: {proof}"
                continue
            assert (ROOT / path).exists(), f"{claim}: no file {path}"
            assert not inside or inside in (ROOT / path).read_text(encoding="utf-8"), f"{claim}: {path} has no {inside}"


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("`ppo` is the strongest agent.", 1),
        ("No other library has it.", 1),
        ("It beats every player.", 1),
        ("Runs are\nidentical.", 1),
        ("```\nthe strongest\n```", 0),
        ("A mask has no entry at all. The best response is a term.", 0),
    ],
)
def test_a_superlative_needs_a_proof(sentence: str, claims: int) -> None:
    assert len(unproven(sentence)) == claims


def test_no_advice_installs_cardgym_from_an_index() -> None:
    files = [*(ROOT / "src").rglob("*.py"), *PAGES]
    assert [str(file) for file in files if "install 'cardgym[" in file.read_text(encoding="utf-8")] == []
