// Writes each page of `pages/` to `dist/pages/` as one file with its style and script, since hosts load nothing else.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

const source = path.join(import.meta.dirname, "pages");
const target = path.join(import.meta.dirname, "dist", "pages");

/** A file with everything that it imports, in a form that may be inside an element of HTML. */
async function bundle(name) {
  const { outputFiles } = await build({
    entryPoints: [path.join(source, name)],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    write: false,
  });
  return outputFiles[0].text.trim();
}

await mkdir(target, { recursive: true });
for (const name of await readdir(source)) {
  if (!name.endsWith(".html")) continue;
  let html = await readFile(path.join(source, name), "utf8");
  for (const [tag, file] of html.matchAll(
    /<link rel="stylesheet" href="\.\/(.+?)" \/>/g,
  )) {
    const style = `<style>${await bundle(file)}</style>`;
    html = html.replace(tag, () => style);
  }
  for (const [tag, file] of html.matchAll(
    /<script type="module" src="\.\/(.+?)"><\/script>/g,
  )) {
    const script = `<script type="module">${await bundle(file)}</script>`;
    html = html.replace(tag, () => script);
  }
  await writeFile(path.join(target, name), html);
}
