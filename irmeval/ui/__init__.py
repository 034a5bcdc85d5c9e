"""The dashboard. No other package imports streamlit."""
