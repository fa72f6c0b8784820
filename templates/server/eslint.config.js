import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "src/generated/"] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: [
          "./tsconfig.json",
          "./pages/tsconfig.json", // if: app
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
  },
  {
    files: ["src/**"],
    rules: {
      // Standard output is reserved for the protocol; a log line there breaks the connection. `log.ts` writes to standard error.
      "no-console": ["error", { allow: ["error", "warn"] }],
      "no-restricted-properties": [
        "error",
        {
          object: "process",
          property: "stdout",
          message: "Standard output carries protocol messages only.",
        },
      ],
    },
  },
  { files: ["**/*.js"], ...tseslint.configs.disableTypeChecked },
);
