/** The default server: a URL, or a program with its arguments. */
export const defaultTarget: readonly string[] = [];
