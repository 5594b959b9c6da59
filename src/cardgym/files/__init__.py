"""Readers and writers of files, which may come from untrusted sources.

Nothing in a file is executed. Text is parsed into pydantic models with bounds, declared sizes are compared with the
file's size before anything is allocated, and whatever is wrong with a file is one `CardgymError`.
"""
