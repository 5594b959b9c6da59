"""All processes of a test run share one cache of compiled code: a lock lets each function be compiled once."""
