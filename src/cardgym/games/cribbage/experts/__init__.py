"""The paper's learner of cribbage: eight strategies, weighted by both scores and who deals."""
