"""Glossary: what the words mean that pages use."""

import streamlit as st

from irmeval.ui.pages import glossary

st.title("What does this word mean?")
term = glossary.asked_term()
if term:
    glossary.card(term)
    st.button("All words", key="all_words", on_click=st.query_params.pop, args=(glossary.TERM,))
else:
    terms = glossary.search()
    if not terms:
        st.info("No entry matches all of that. Remove a word.")
    half = (len(terms) + 1) // 2  # the one column of a telephone is then in order too
    for column, some in zip(st.columns(2), (terms[:half], terms[half:]), strict=True):
        with column:
            for entry in some:
                glossary.card(entry)
