"""The frame around every page, and the widgets of one page each."""
