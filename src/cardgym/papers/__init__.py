"""Four papers rerun: a package for each, with what `cardgym reproduce` runs. Only the command line imports them."""
