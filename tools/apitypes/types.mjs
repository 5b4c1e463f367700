// Writes the types of the API's schemas for the page, or with --check compares them with what is there.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const file = new URL("../../internal/server/page/src/api.gen.ts", import.meta.url);
const nodes = await openapiTS(new URL("../../internal/server/api/openapi.yaml", import.meta.url), { rootTypes: false });
const components = nodes.find((node) => node.name?.text === "components");
components.members = components.members.filter((member) => member.name.text === "schemas");
const text = "// Code generated from openapi.yaml by npm run types in tools/apitypes; DO NOT EDIT.\n\n" + astToString([components]);
if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) throw new Error("api.gen.ts is not what openapi.yaml gives; run npm run types in tools/apitypes");
