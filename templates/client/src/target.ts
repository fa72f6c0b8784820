/** The server that is used if none is named: a URL, or a program with its arguments. */
export const defaultTarget: readonly string[] = [];
