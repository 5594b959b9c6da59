"""The games that come with cardgym, a folder each: rules, observations, words, players, searches, learners and paper."""
