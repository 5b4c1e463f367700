import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, compact, percent, valueText } from "../../../internal/server/page/src/words.js";
import { scale } from "../../../internal/server/page/src/scale.js";

test("values and counts", () => {
  assert.equal(valueText({ outcome: "win", steps: 0 }), "win in 0");
  assert.equal(valueText({ outcome: "draw", steps: null }), "draw");
  assert.equal(percent(1, 3), "33.3 %");
  assert.equal(percent(1, 100000), "< 0.1 %");
  assert.equal(percent(0, 0), "0 %");
  assert.equal(compact(43046721), "43M");
  assert.deepEqual([0, 1023, 1024, 5095576, 26.5 * 2 ** 30].map(bytes), ["0 bytes", "1,023 bytes", "1.00 KiB", "4.86 MiB", "26.5 GiB"]);
});

test("scales hold every count between the foot and the top", () => {
  for (const most of [0, 1, 3, 7, 99, 1000, 43046721]) {
    for (const kind of ["linear", "log"] as const) {
      const { at, ticks } = scale(kind, most);
      assert.ok(at(0) === 0 && at(most) >= 0 && at(most) <= 1, `${kind} ${most}`);
      assert.ok(at(1) > 0, `${kind} ${most}: one state can be seen`);
      assert.ok(ticks.length >= 2 && ticks.length <= 7, `${kind} ${most}: ${ticks.length} ticks`);
      assert.ok(ticks.every((tick, i) => i === 0 || tick.at > (ticks[i - 1]?.at ?? 0)));
    }
  }
  assert.deepEqual(scale("linear", 43046721).ticks.map((t) => t.label), ["0", "20M", "40M", "60M"]);
  assert.deepEqual(scale("share", 1).ticks.map((t) => t.label), ["0 %", "25 %", "50 %", "75 %", "100 %"]);
});
