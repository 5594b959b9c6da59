"""The games: rules over records, one module or package each."""
