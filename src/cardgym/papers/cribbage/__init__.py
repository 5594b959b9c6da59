"""Cribbage: weighted experts trained from several starts, as the paper does"""
