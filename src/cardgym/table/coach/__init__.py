"""The coach: advice on decisions, reviews of games, a person's history, the explorer, puzzles and ratings."""
