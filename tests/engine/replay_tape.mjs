// MODULE TAPE: repeat what `test_targets` recorded on the CPU, and compare every byte.
import fs from "node:fs";

const [, , modulePath, tapePath] = process.argv;
const tape = fs.readFileSync(tapePath);
let at = tape.indexOf(10) + 1;
const head = JSON.parse(tape.subarray(0, at));

// A side module of Emscripten, as Pyodide loads it, with memory of its own.
const memory = new WebAssembly.Memory({ initial: 512 });
const [STACK, DATA, HEAP] = [1 << 20, 1 << 20, 16 << 20];
let top = HEAP;
const free = new Map();
function malloc(size) {
  size = (size + 63) & ~63;
  const freed = free.get(size)?.pop();
  if (freed) return freed;
  const found = top + 64;
  new DataView(memory.buffer).setInt32(top, size, true);
  top = found + size;
  if (top > memory.buffer.byteLength) throw new Error("out of memory");
  return found;
}
function release(found) {
  if (!found) return;
  const size = new DataView(memory.buffer).getInt32(found - 64, true);
  free.set(size, [...(free.get(size) ?? []), found]);
}
const global = (value, mutable) => new WebAssembly.Global({ value: "i32", mutable }, value);
const env = {
  memory,
  malloc,
  free: release,
  // The product of two numbers of 128 bits, which Emscripten's own library has in a page.
  __multi3: (out, low, high, otherLow, otherHigh) => {
    const whole = (low, high) => BigInt.asUintN(64, low) | (BigInt.asUintN(64, high) << 64n);
    const product = whole(low, high) * whole(otherLow, otherHigh);
    const view = new DataView(memory.buffer);
    [product, product >> 64n].forEach((part, i) => view.setBigUint64(out + 8 * i, BigInt.asUintN(64, part), true));
  },
  __stack_pointer: global(STACK, true),
  __memory_base: global(DATA, false),
  __table_base: global(0, false),
  __indirect_function_table: new WebAssembly.Table({ initial: 64, element: "anyfunc" }),
};
const module = new WebAssembly.Module(fs.readFileSync(modulePath));
const imports = { env };
for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
  imports[from] ??= {};
  if (kind === "global") imports[from][name] ??= global(0, true);
  imports[from][name] ??=
    Math[name] ??
    (() => {
      throw new Error(`called ${name}`);
    });
}
const code = new WebAssembly.Instance(module, imports).exports;
code.__wasm_apply_data_relocs?.();

const places = Object.fromEntries(Object.entries(head.arrays).map(([name, size]) => [name, malloc(size)]));
const bytes = () => new Uint8Array(memory.buffer);
const take = (name) => {
  const size = head.arrays[name];
  at += size;
  return [places[name], tape.subarray(at - size, at)];
};
const read = (name) => {
  const [place, data] = take(name);
  bytes().set(data, place);
};
for (const name of head.before) read(name);
const addresses = malloc(8 * (head.addresses.length + 3));
const view = new DataView(memory.buffer);
[...head.addresses.map((name) => places[name]), head.rows, 1, 1].forEach((value, i) =>
  view.setBigInt64(addresses + 8 * i, BigInt(value), true),
);
const array = (name, item) => {
  const count = BigInt(head.arrays[name] / item);
  return [0, 0, count, BigInt(item), places[name], count, BigInt(item)];
};
const answer = malloc(128);
const PER_ROW = -1n;
const words = [BigInt(addresses), 0n, PER_ROW, 0n, 1, ...array("observations", 4), ...array("masks", 1)];
for (let step = 0; step < head.steps; step++) {
  read("actions");
  read("commands");
  const status = code[head.function](answer, answer + 96, ...words);
  if (status) throw new Error(`status ${status} at step ${step}`);
  for (const name of head.after) {
    const [place, data] = take(name);
    if (Buffer.compare(data, bytes().subarray(place, place + data.length)))
      throw new Error(`${name} differs at step ${step}`);
  }
}
console.log(`${head.rows * head.steps} row-steps equal, ${at === tape.length ? "all" : "not all"} of the tape`);
