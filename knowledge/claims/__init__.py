"""Claims: their lifecycle, anchors, predicates and proposals. Pure functions over a view of a tree."""
