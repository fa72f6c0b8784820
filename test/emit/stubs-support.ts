export const REVISION = '2025-11-25';
export const STUBS = ['generate', '--revision', REVISION, '--emit', 'stubs'] as const;
export const HANDLERS = `${REVISION}/handlers.ts`;
