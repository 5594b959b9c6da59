// node compile.mjs PYODIDE ARCHIVE ...: replace the Python sources in archives by byte code for Pyodide's Python.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, ...archives] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const py = await loadPyodide({ indexURL: `${folder}/` });
for (const archive of archives) {
  py.FS.writeFile("/in.zip", readFileSync(archive));
  py.runPython(`
import compileall, os, pathlib, py_compile, shutil
shutil.rmtree("/tree", ignore_errors=True)
shutil.unpack_archive("/in.zip", "/tree")
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
assert compileall.compile_dir("/tree", ddir="", legacy=True, quiet=1, invalidation_mode=mode)
for path in pathlib.Path("/tree").rglob("*.py"):
    path.unlink()
shutil.make_archive("/out", "zip", "/tree")
`);
  writeFileSync(archive, py.FS.readFile("/out.zip"));
}
process.exit(0);
