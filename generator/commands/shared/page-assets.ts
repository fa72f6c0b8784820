import { createHash } from 'node:crypto';
import type { PageAssets, StyleAssets } from '../../print/html.js';
import { readTemplate } from '../../read/files.js';

/** The style of a page without a script, from its folder in `templates/`. */
export function styleAssets(folder: 'check-server' | 'diff' | 'inspect'): StyleAssets {
  return {
    // The page of `inspect` has a switch between light and dark, and so other colors.
    css: (folder === 'inspect' ? '' : readTemplate('base.css')) + readTemplate(folder, 'page.css'),
    hashOf: (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`,
  };
}

/** The style and script of a page, from its folder in `templates/`. */
export function pageAssets(folder: 'diff' | 'inspect'): PageAssets {
  return { ...styleAssets(folder), script: readTemplate(folder, 'page.js') };
}
