"""The paper on Coda, made anew."""
