"""Effects of missing judgments, and documents to judge next."""
