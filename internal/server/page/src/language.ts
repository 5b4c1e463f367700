// The languages of the page, each a file in languages/ with all texts by key. To add one, import it here and list it.

import de from "./languages/de.json";
import en from "./languages/en.json";
import fr from "./languages/fr.json";
import { keep, kept } from "./kept.js";

/** Key names a text. */
export type Key = keyof typeof en;

/** Text may have {placeholders}. One that depends on a count {n} has a form for each plural category of its language
 * in which it differs; other is for all the rest. */
export type Text = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);

/** Values are what stands in the place of the placeholders; numbers are written as the language writes them. */
export type Values = Record<string, string | number>;

export const languages = { en, de, fr } satisfies Record<string, Record<Key, Text>>;
export type Language = keyof typeof languages;

/** language is the one that was chosen here before, or else the first one that the browser asks for and the page has. */
export const language: Language = choose(kept("language"), typeof document === "undefined" ? [] : navigator.languages);

/** choose returns the language of the first tag that is one of the page's: de for de-AT. */
export function choose(chosen: string, wanted: readonly string[]): Language {
  const tags = [chosen, ...wanted];
  for (const tag of tags) {
    const found = (Object.keys(languages) as Language[]).find((name) => name === tag.toLowerCase().split("-")[0]);
    if (found) return found;
  }
  return "en";
}

/** keepLanguage makes the page speak another language when it is loaded again; it says whether the browser can. */
export function keepLanguage(name: Language): boolean {
  return keep("language", name);
}

/** t returns a text in the language of the page. */
export function t(key: Key, values: Values = {}): string {
  return translate(language, key, values);
}

/** translate returns a text in a language, in the plural form for n. */
export function translate(name: Language, key: Key, values: Values = {}): string {
  const text: Text = languages[name][key];
  const form = typeof text === "string" ? text : (text[formats(name).plural.select(Number(values["n"]))] ?? text.other);
  return spaced(name, form).replace(/\{(\w+)\}/g, (_, placeholder: string) => {
    const value = values[placeholder] ?? "";
    return typeof value === "number" ? formats(name).number.format(value) : value;
  });
}

/** Formats write numbers and choose plural forms in a language; making one takes longer than using it a hundred times. */
interface Formats {
  number: Intl.NumberFormat;
  plural: Intl.PluralRules;
}
const made: Partial<Record<Language, Formats>> = {};

function formats(name: Language): Formats {
  return (made[name] ??= { number: new Intl.NumberFormat(name), plural: new Intl.PluralRules(name) });
}

/** number writes a count with separated thousands. */
export function number(count: number): string {
  return formats(language).number.format(count);
}

/** spaced prepares text for wrapping: in French, no line begins with a punctuation mark that has a space before it. */
export function spaced(name: Language, text: string): string {
  return name === "fr" ? text.replace(/ (?=[:;?!»%])|(?<=«) /g, "\u00a0") : text;
}

let lists: Intl.ListFormat | undefined;

/** listed joins words into a list: a, b, and c. */
export function listed(items: string[]): string {
  return (lists ??= new Intl.ListFormat(language, { type: "conjunction" })).format(items);
}
