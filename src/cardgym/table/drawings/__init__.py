"""Drawings of a table: symbols as SVG, which games build from a few shapes, for pages and pictures."""
