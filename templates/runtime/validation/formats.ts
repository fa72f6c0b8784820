/** String formats that can be asserted. */

/** The formats of a protocol's schema; `{ formats: FORMATS }` asserts them. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uri: (text) => /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]*$/i.test(text),
  "uri-template": (text) =>
    /^(?:[^\s<>"{}|\\^`]|\{[+#./;?&=,!@|]?[\w.%,:*]+\})*$/.test(text),
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDate(text),
  "date-time": (text) =>
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.test(
      text,
    ) && isDate(text.slice(0, 10)),
  email: (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
};

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
