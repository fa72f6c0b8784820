/** What the HTML pages of this package have in common. */
import { escapeHiddenCharacters } from '../text.js';

/** The style of a page, and how to name it in its policy. */
export interface StyleAssets {
  readonly css: string;
  /** The hash of a text for a Content Security Policy: `sha256-...`. */
  readonly hashOf: (text: string) => string;
}

/** Style and script of a page. */
export interface PageAssets extends StyleAssets {
  readonly script: string;
}

/**
 * The beginning of a page, up to `<body>`. Its policy allows this style and this script, if there is one, and blocks
 * everything else: other scripts, requests, frames and forms.
 *
 * @param title - Plain text.
 */
export function renderHead(title: string, assets: StyleAssets | PageAssets): readonly string[] {
  const { css, hashOf } = assets;
  const scripts = 'script' in assets ? ` script-src '${hashOf(assets.script)}';` : '';
  const policy = `default-src 'none'; style-src '${hashOf(css)}';${scripts} base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${css}</style>`,
    '</head>',
    '<body>',
  ];
}

/** Escapes text for use between tags and in attributes. */
export function escapeHtml(value: string): string {
  return escapeHiddenCharacters(value.replaceAll('\n', '\u{e000}'))
    .replaceAll('\u{e000}', '\n')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** A value as JSON that may be the text of a `<script>`: no tag and no comment begins or ends in it. */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
