"""The web server around the pages, and the command that starts it."""
