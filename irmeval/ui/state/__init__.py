"""What the server holds: of each visitor, of all, and for how long."""
