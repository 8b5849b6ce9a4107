"""The code graph: resolving names across the files of one tree into edges, and asking questions of them. Pure; the only user of networkx."""
