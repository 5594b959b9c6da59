"""The paper's learner of cribbage: eight strategies, weighted by where on the board a deal begins."""
