"""Git hooks: they make the index early, nothing more. What makes answers right is that every read compares with git first.

    client.py      what a hook runs: notes the request, starts the worker, returns
    worker.py      detached: takes the requests, reconciles, logs
    requests.py    the queue, the log and the lock that the two share, below the git common directory
    site.py        which folder git takes hooks from, and who else has a say there
    block.py       the lines we put into a hook, and how they come out again
    install.py     install, uninstall
    inspection.py  what `knowledge doctor` says of hooks

This module imports nothing: the worker must be cheap to start when another one already works.
"""
