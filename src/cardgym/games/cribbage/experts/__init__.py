"""The paper's learner for cribbage: eight strategies, weighted by both scores and who deals."""
