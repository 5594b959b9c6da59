DOC = ""
