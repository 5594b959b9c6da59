"""The games that come with cardgym, a folder each: rules, words, players, searches, learners and paper."""
