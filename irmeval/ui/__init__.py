"""The dashboard's side of irmeval: the only package that imports streamlit."""
