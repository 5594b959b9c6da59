""" "Machine Learning Applied to Cribbage", rerun."""
