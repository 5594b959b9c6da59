"""Other libraries: what makes cardgym's games and players their own. Each has an extra that installs it."""
