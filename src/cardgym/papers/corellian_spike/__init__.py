"""Corellian Spike: tables 2, 3 and 4, the figures of the appendix, and which claims hold"""
