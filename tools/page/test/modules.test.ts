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

test("api.ts alone fetches, and app.ts leaves it to others to ask and to try again", () => {
  const text = (file: string) => readFileSync(`${sources}/${file}`, "utf8");
  const fetching = readdirSync(sources).filter((file) => file.endsWith(".ts") && /\bfetch\(/.test(text(file)));
  assert.deepEqual(fetching, ["api.ts"]);
  assert.doesNotMatch(text("app.ts"), /await this\.(api|server)|ApiError|Reconnect/);
});
