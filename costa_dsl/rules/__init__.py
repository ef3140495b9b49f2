"""What a schema cannot say: names that must exist somewhere else, words that must fit their subtask.

One rule a file, in three folders: `plan/`, `tool/`, `catalog/`. A rule is a function that yields findings; each of
its codes has a page in docs/codes. `validate.py` runs everything, from texts to findings.
"""
