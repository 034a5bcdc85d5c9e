"""Results on paper: tables as CSV, LaTeX and Markdown, and what a collection holds."""
