"""One file a group of commands: options in, one operation, an answer to the screen. The attribute `<name>_command` is the command."""
