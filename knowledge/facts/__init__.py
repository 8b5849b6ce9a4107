"""Running the analyzers over blobs, in a child process that can be killed."""
