import { createHash } from 'node:crypto';
import type { PageAssets } from '../../print/html.js';
import { readTemplate } from '../../read/files.js';

/** The style and script of a page, from its folder in `templates/`. */
export function pageAssets(folder: 'diff' | 'inspect'): PageAssets {
  return {
    css: readTemplate(folder, 'page.css'),
    script: readTemplate(folder, 'page.js'),
    hashOf: (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`,
  };
}
