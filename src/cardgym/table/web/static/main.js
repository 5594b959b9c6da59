import { Explorer } from "./explore.js";
import { openHistory } from "./history.js";
import { openJoin } from "./join.js";
import { openLobby } from "./lobby.js";
import { Puzzles } from "./puzzles.js";
import { Review } from "./review.js";
import { run } from "./shell.js";
import { Table } from "./table.js";

run({
  "": openLobby,
  explore: (id) => new Explorer(id),
  history: openHistory,
  join: openJoin,
  puzzles: (id) => new Puzzles(id),
  review: (id) => new Review(encodeURIComponent(id)),
  table: (id) => new Table(encodeURIComponent(id)),
});
