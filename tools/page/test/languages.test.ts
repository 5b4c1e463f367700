import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { choose, languages, translate, type Key, type Language, type Text } from "../../../internal/server/page/src/language.js";

const sources = "../../internal/server/page/src"; // from where the tests are run
const names = Object.keys(languages) as Language[];
const keys = Object.keys(languages.en) as Key[];

function textOf(name: Language, key: Key): Text {
  return languages[name][key];
}

function forms(text: Text): [string, string][] {
  return typeof text === "string" ? [["", text]] : Object.entries(text);
}

test("every file of a language is one of the page's languages", () => {
  assert.deepEqual(readdirSync(`${sources}/languages`).sort(), names.map((name) => `${name}.json`).sort());
  assert.ok(names.length >= 3);
});

test("all languages have the same keys, in the same order, and no text is empty", () => {
  for (const name of names) {
    assert.deepEqual(Object.keys(languages[name]), keys, name);
    for (const key of keys) for (const [, text] of forms(textOf(name, key))) assert.ok(text !== "" && text === text.replace("  ", " "), `${name} ${key}`);
  }
});

test("a text has the same placeholders in all languages", () => {
  const placeholders = (name: Language, key: Key) => {
    const text = textOf(name, key);
    return [...(typeof text === "string" ? text : text.other).matchAll(/\{(\w*)\}/g)].map((m) => m[1]).sort();
  };
  for (const name of names) {
    for (const key of keys) assert.deepEqual([...new Set(placeholders(name, key))], [...new Set(placeholders("en", key))], `${name} ${key}`);
  }
});

test("plural forms are those of their language, and belong to a count", () => {
  for (const name of names) {
    const known = new Intl.PluralRules(name).resolvedOptions().pluralCategories as string[];
    for (const key of keys) {
      const text = textOf(name, key);
      if (typeof text === "string") continue;
      assert.ok("other" in text && Object.keys(text).every((form) => known.includes(form)), `${name} ${key}: ${Object.keys(text)}`);
      assert.notEqual(typeof languages.en[key], "string", `${name} ${key} depends on a count, the English text does not`);
    }
  }
});

test("every key is used, and the document uses no other ones", () => {
  const files = readdirSync(sources).filter((file) => /\.(ts|html)$/.test(file));
  const all = files.map((file) => readFileSync(`${sources}/${file}`, "utf8")).join("\n");
  const made = [...all.matchAll(/t\(`([a-z.]+\.)\$\{/g)].map((m) => m[1] ?? "");
  assert.ok(made.length > 5);
  for (const key of keys) assert.ok(all.includes(`"${key}"`) || made.some((start) => key.startsWith(start)), `${key} is not used`);
  const named = [...readFileSync(`${sources}/index.html`, "utf8").matchAll(/data-t(?:-label|-title)?="([^"]*)"/g)].map((m) => m[1]);
  assert.ok(named.length > 20);
  for (const key of named) assert.ok((keys as string[]).includes(key ?? ""), `index.html names ${key}`);
});

test("counts take the form of their language", () => {
  assert.equal(translate("en", "count.states", { n: 1 }), "1 state");
  assert.equal(translate("en", "count.states", { n: 1200 }), "1,200 states");
  assert.equal(translate("de", "count.states", { n: 1200 }), "1.200 Zustände");
  assert.equal(translate("fr", "count.states", { n: 0 }), "0 état");
  assert.equal(translate("de", "value.win", { n: 21 }), "Gewinn in 21");
  assert.equal(translate("en", "position.cell", { cell: "{n}", cells: "X" }), "“{n}” is not a cell; write X.");
});

test("the language is the one chosen, or else the first one asked for that there is", () => {
  assert.equal(choose("", ["pt-BR", "de-AT", "en"]), "de");
  assert.equal(choose("fr", ["de"]), "fr");
  assert.equal(choose("xx", ["de"]), "de");
  assert.equal(choose("", ["FR-ca"]), "fr");
  assert.equal(choose("", []), "en");
});

test("German speaks to everybody alike, and no line of French begins with a colon", () => {
  for (const key of keys) for (const [, text] of forms(textOf("de", key))) assert.doesNotMatch(text, /\w+en Sie\b|\bSie (sind|haben|können)\b|\bIhre?[nmrs]?\b/, key);
  assert.equal(translate("fr", "board.taken", { cell: "a1", places: "b1" }), "a1 pris. Il peut aller en b1.");
  assert.equal(translate("fr", "hint.move", { move: "a1 : b" }), "Indice\u00a0: a1 : b");
  assert.equal(translate("fr", "link.unknown", { name: "x" }), "«\u00a0x\u00a0» ne veut rien dire ici.");
});
