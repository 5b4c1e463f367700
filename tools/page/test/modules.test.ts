import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const sources = "../../internal/server/page/src"; // from where the tests are run

test("no module imports itself by way of others, not even for types", () => {
  const imports = new Map(readdirSync(sources).filter((file) => file.endsWith(".ts")).map((file) => {
    const text = readFileSync(`${sources}/${file}`, "utf8");
    return [file, [...text.matchAll(/^import [^;]*? from "\.\/([\w.]+)\.js";/gm)].map((m) => `${m[1]}.ts`)];
  }));
  const done = new Set<string>();
  const follow = (file: string, path: string[]) => {
    assert.ok(!path.includes(file), [...path, file].join(" → "));
    if (!done.has(file)) for (const next of imports.get(file) ?? []) follow(next, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) follow(file, []);
  assert.ok(done.size > 50);
});
