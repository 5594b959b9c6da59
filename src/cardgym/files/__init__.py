"""Readers and writers of files, which may come from untrusted sources.

Nothing in a file is executed. Text is parsed into pydantic models with bounds, declared sizes are compared with the
file's size before anything is allocated, and anything wrong with a file raises one `CardgymError`.
"""

from cardgym.files.access import check_replaced, opened, remove_leftovers, replacing, write_text

__all__ = ["check_replaced", "opened", "remove_leftovers", "replacing", "write_text"]
