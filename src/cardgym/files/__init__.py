"""Files from strangers: every door through which cardgym reads a policy, a checkpoint, a report or a log.

Nothing in such a file is executed. Its text is parsed into pydantic models with bounds, the sizes it declares are
compared with the file's own before anything is allocated, and whatever is wrong with it is one `CardgymError`.
"""
