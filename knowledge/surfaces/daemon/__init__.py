"""The daemon: one process for each repository, which answers agents' hooks at once because all that it needs is open already.

    client.py    what a host program runs for a hook: passes its payload on, prints the answer; nothing at all where anything is wrong
    place.py     where daemon and client meet: socket, token, lock, and the log of calls that came to nothing
    answering.py a payload in, the host's own words out
    server.py    the process: one lock, one socket, one thread that works; ends when nobody asks any more

Everything works without it: commands and the MCP server never ask it. This module imports nothing.
"""
