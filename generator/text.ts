/** Characters that are invisible, that steer a terminal, or that show a reader other text than a program reads. */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{Surrogate}/gu;

/** A text in which every hidden character is written as an escape, as JSON and TypeScript have it. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** A word of a command line, quoted where a shell would read it otherwise. */
export function shellQuoted(word: string): string {
  return /^(?:-|[\w@%+=:,./][\w@%+=:,./-]*)$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
