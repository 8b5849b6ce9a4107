"""One file per thing a person asks: load, call the pure part, save."""
