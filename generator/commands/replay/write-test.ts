export function writeTest(..._: readonly unknown[]): string { return ''; }
