"""Numbers of topics, choice of judges, and orders of judging."""
