"""Learning with tables: what a game's state codes make possible."""
