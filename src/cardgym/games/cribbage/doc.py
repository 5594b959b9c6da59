"""The documentation of Cribbage-v0 and CribbageDeal-v0, under Gymnasium's headings."""

DOC = ""
DEAL_DOC = ""
