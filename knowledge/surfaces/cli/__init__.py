"""The command line. `main.py` answers `status` and `--version` by itself, cheaply; everything else goes through click.

    main        the entry point: dispatch, exit codes, the outermost error frame
    settings    what every command understands: where, how to write
    app, verb   the click group that loads commands when they are called for, and what all commands share
    commands/   one file a group of commands: options → operation → screen
    screen      writes an answer: JSON, ids, or lines for people; errors; progress
    render/     answers → lines
    reference   writes docs/commands.md and docs/json.md

This module imports nothing: `knowledge status` must stay cheap to start.
"""
