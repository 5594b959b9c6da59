"""What the draft on cribbage says, sentence by sentence, and what we found."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb, inf

from cardgym.papers.cribbage.picture import family_shares
from cardgym.papers.cribbage.runs import EVALUATION_GAMES, KINDS, PAPER_UPDATE, VARIANTS, Run, agreement, region
from cardgym.papers.pages import RULE, Answer, Claim, claims_table, section
from cardgym.statistics import UNKNOWN, Estimate, mean_estimate

OWN_CRIB = next(iter(KINDS))
_HAND, _CRIB, _PEGGING = range(3)
_PONE, _DEALER = range(2)
# fmt: off


def claims(runs: list[Run]) -> str:
    """Return the section of the paper's sentences, in its order."""
    return section(
        "The paper's sentences, and what we found",
        f"{RULE} Intervals are Student's t over the seeds, and where there is one seed, over its {EVALUATION_GAMES:,} games. "
        f"Weights are those of *{OWN_CRIB}*.",
        claims_table(("here",), _rows(runs)),
        "Its references on cribbage, Martin (2000), Kendall and Shaw (2002) and O'Connor (2000), were not compared with our players.",
    )


def _rows(runs: list[Run]) -> Iterator[Claim | Answer]:
    """Yield the rows of the table of sentences."""
    seeds = {kind: [run for run in runs if run.kind == kind and run.start == "uniform"] for kind in KINDS}
    learned = seeds[OWN_CRIB]

    def over_seeds(read: Callable[[Run], float], kind: str = OWN_CRIB) -> list[Estimate]:
        return [mean_estimate([read(run) for run in seeds[kind]])]

    def weight(run: Run, side: int, family: int, low: int, high: int) -> float:
        return float(region([run], low, high)[side, family])

    def greedy(variant: int) -> Estimate:
        share, (low, high) = next(run for run in runs if run.kind == [*VARIANTS][variant]).after["greedy"]
        return Estimate(100 * share, (100 * low, 100 * high))

    yield Claim("1.1, 1.1.1", "Near the end other strategies matter than before: the dealer's weight of the play at 110 to 120, above that at 0 to 59", 0, inf,
                over_seeds(lambda run: weight(run, _DEALER, _PEGGING, 110, 120) - weight(run, _DEALER, _PEGGING, 0, 59)), "+.2f", "; [by region](#what-changes-near-the-end-of-the-board)")
    yield Claim("1.1.1", "Early, the pone maximizes its own hand: its weight at 0 to 59, above the crib's", 0, inf,
                over_seeds(lambda run: weight(run, _PONE, _HAND, 0, 59) - weight(run, _PONE, _CRIB, 0, 59)), "+.2f")
    yield Claim("1.1.1", "And it avoids giving the dealer points then: the crib's weight, above that at 110 to 120", 0, inf,
                over_seeds(lambda run: weight(run, _PONE, _CRIB, 0, 59) - weight(run, _PONE, _CRIB, 110, 120)), "+.2f")
    yield Claim("1.1.1", "With 116 points against the dealer's 117, the pone need not think of the crib: its weight there", -inf, 0.05,
                over_seeds(lambda run: float(family_shares(run.last.weights)[116, 117, _PONE, _CRIB])), ".2f")
    yield Answer("3.1.1", "Regret is not easily practically computable", "it is: all 15 keeps are played against the same cards in microseconds ([how](#the-gradients-update))")
    yield Claim("3.1.1", "The hand that scores more is not always better: percent won against `greedy`, which keeps the best mean hand", 50, 100,
                over_seeds(lambda run: 100 * run.after["greedy"][0]), ".1f")
    third = greedy(0).value
    for text, variant in (
        ("Route 1, the round's point spread, cannot be rightfully evaluated, as it depends on the opponent: as good as the third, within a point of its percent against `greedy`", 1),
        ("Route 2a, values set by hand, may be acceptable: as good as the third, within a point", 2),
    ):
        yield Claim("3.1.1", text, round(third - 1, 1), round(third + 1, 1), [greedy(variant)], ".1f", "; [other answers](#other-answers)")
    total = comb(52, 6) * 15 * (46 + comb(46, 2) * 44)
    yield Claim("3.1.2", "In all, about 1.3921 x 10^13 combinations are to be evaluated: in units of 10^13", 1.39205, 1.39215, [Estimate(total / 1e13, UNKNOWN)], ".5f", f", {total:,}")
    yield Answer("3.1.2", "One hand takes seconds, so there is a database, which takes 4 months in Python, 14 days in C, 5.5 days on a server, with a key of twelve digits",
                 "`research/cribbage_statistics.py` sums the same combinations in seconds by inclusion and exclusion, so that players compute an entry in a microsecond and need no database and no key")
    yield Answer("3.1.2, 3.1.3", "Scores of a strategy are scaled to 0 .. 1; S, 8 x 15, sums to 1 over the strategies for each keep, and over the keeps for each strategy",
                 "contradicts itself: the sum of all entries would be 15 and 8; if each keep's column sums to 1, uniform weights rate all keeps alike, so here each row does, and [other answers](#other-answers) has the other scale")
    yield Claim("3.1.4", "The update, c w^2 for the winner and c / w^2 for the loser, finds the right strategies: points gained against `greedy`", 0, inf,
                over_seeds(lambda run: 100 * (run.after["greedy"][0] - run.before["greedy"][0]), PAPER_UPDATE), notes="; [no credit saves it](#can-credit-save-the-papers-update)")
    yield Answer("3.1.4", "Uniform weights are combated by ... TODO",
                 "the logarithms of the first weights have a noise with the standard deviation 0.05 (`init_noise`); [other answers](#other-answers) has other noise; without any, the update changes nothing")
    others = [run for run in runs if run.kind == OWN_CRIB and run.start != "uniform"]
    seeds_agree = min(agreement(learned[0], run) for run in learned[1:])
    yield Claim("4", "The agent learns a single strategy in general: how far other starts agree with the uniform one, as far as seeds do", round(seeds_agree, 2), 1,
                [mean_estimate([agreement(learned[0], run) for run in others])], ".2f", "; [does the start matter?](#does-the-start-matter)")
