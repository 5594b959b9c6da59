"""The table in the browser: one process, offline. The server keeps the games; a page gets what its seat can know."""
