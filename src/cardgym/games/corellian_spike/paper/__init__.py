"""The paper on Corellian Spike, made anew."""
