"""The table in the browser. The server keeps the games; a page receives only what its seat can know."""
