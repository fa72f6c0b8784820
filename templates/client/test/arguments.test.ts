import { expect, test } from "vitest";
import { readArguments } from "../src/arguments.js";

test("a program and its arguments", () => {
  expect(readArguments(["--", "node", "server.js", "--verbose"])).toEqual({
    target: ["node", "server.js", "--verbose"],
    tool: undefined,
    toolArguments: {},
    isExample: false, // if: listed
  });
});

test("a tool to call", () => {
  const words = ["--call", "echo", "--arguments", '{"a":1}', "--", "server"];
  expect(readArguments(words)).toEqual({
    target: ["server"],
    tool: "echo",
    toolArguments: { a: 1 },
    isExample: false, // if: listed
  });
});

test("--help", () => {
  expect(readArguments(["--help"])).toBeUndefined();
});

test.each([
  { words: [], problem: "the server is missing" }, // if: !target
  { words: ["--arguments", "[]", "server"], problem: "JSON object" },
  {
    words: ["--arguments", "{", "server"],
    problem: "--arguments must be a JSON object: SyntaxError",
  },
  { words: ["--dance", "server"], problem: "--dance" },
])("refuses $words", ({ words, problem }) => {
  expect(() => readArguments(words)).toThrow(problem);
});
