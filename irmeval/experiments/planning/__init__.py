"""How many topics, which judges, and in which order documents are judged."""
