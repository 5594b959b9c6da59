// Starts Python with the page's libraries, in a worker or in Node. The memory of a started Python can be kept, so that
// the next start takes it from there; libraries with compiled parts, such as NumPy, cannot be in it.
const LIBRARY = "/lib/python3.13/site-packages";
const ENV = { NUMBA_DISABLE_JIT: "1", HOME: "/home/pyodide", PYTHONWARNINGS: "ignore" };
const PLAIN = `
import asyncio, base64, ctypes, dataclasses, difflib, importlib.metadata, ipaddress, json, platformdirs, random
import openskill.models, starlette.applications, starlette.datastructures, starlette.middleware.gzip
import starlette.responses, starlette.routing, starlette.staticfiles, starlette.exceptions`;

// Files as the builder packs them: a line of JSON with their names and sizes, then their bytes.
export async function unpack(py, content) {
  const plain = new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"));
  const all = new Uint8Array(await new Response(plain).arrayBuffer());
  let at = all.indexOf(10) + 1;
  for (const [name, size] of JSON.parse(new TextDecoder().decode(all.subarray(0, at)))) {
    const path = `${LIBRARY}/${name}`;
    py.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    py.FS.writeFile(path, all.subarray(at, (at += size)), { canOwn: true });
  }
}

// `archives` are promises of packed files. Resolves to Python and, if there was no snapshot, one for the next start.
export async function startPython(loadPyodide, indexURL, archives, snapshot) {
  const memory = snapshot ? { _loadSnapshot: snapshot } : { _makeSnapshot: true };
  const py = await loadPyodide({ indexURL, env: { ...ENV }, ...memory });
  for (const archive of archives) await unpack(py, await archive);
  py.runPython(PLAIN);
  const made = snapshot ? null : py.makeMemorySnapshot();
  py.runPython("import importlib, random; importlib.invalidate_caches(); random.seed()");
  py.FS.mkdir("/games");
  return { py, made };
}
