"""Choose unjudged documents to judge, and merge new judgments."""
