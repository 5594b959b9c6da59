"""Coda: both tables, the losses of figures 6 and 7, and the highest win rate possible"""
