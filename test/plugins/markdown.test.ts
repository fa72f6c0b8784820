import { expect, test } from 'vitest';
import { loadProtocol, render } from '../../generator/index.js';
import markdown from '../../generator/plugins/markdown.js';
import { REVISIONS } from '../support/revisions.js';
import { testReferences } from './markdown-revisions.js';

// The others are in markdown.slow.test.ts.
testReferences(REVISIONS.slice(-1));

test('says for a method who sends it, what it needs, and what it returns', async () => {
  const files = await render(await loadProtocol({ revision: '2025-11-25' }), 'out', {
    emit: ['types'],
    plugins: [markdown],
  });
  const page = files.find(({ path }) => path.endsWith('.md'))?.contents ?? '';
  const section = page.slice(page.indexOf('\n### tools/call\n'), page.indexOf('\n### tools/list\n'));
  expect(section).toContain('- Request, client to server: [`CallToolRequest`](#calltoolrequest)');
  expect(section).toContain('- Capability: `server.tools`');
  expect(section).toContain('- Params: [`CallToolRequestParams`](#calltoolrequestparams)');
  expect(section).toContain('- Result: [`CallToolResult`](#calltoolresult)');
  expect(section).toContain('- Result of a task: [`CreateTaskResult`](#createtaskresult)');
  expect(section).toMatch(/\| `name` +\| string +\| yes +\| Name of the tool to run\. +\|/);
});
