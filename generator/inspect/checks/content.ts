import { formatPointer, isObject, ownMember, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { show, type Seen, type SessionCheck } from '../seen.js';

/** Most values of a message that are looked at. */
const MAX_VALUES = 100_000;
const MAX_COMPLETIONS = 100;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** MCP 2025-06-18, _meta: labels with dots and a slash, then a name. */
const META_KEY =
  /^(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/;

/** What content has to be beyond its schema: base64, names in `_meta`, the number of completions. */
export class ContentCheck implements SessionCheck {
  see(seen: Seen): void {
    const { report, revision } = seen;
    const root = seen.kind === 'request' || seen.kind === 'notification' ? 'params' : 'result';
    const value = ownMember(seen.message, root);
    if (!isObject(value)) return;
    if (seen.kind === 'result' && seen.request?.method === 'completion/complete') {
      const completion = ownMember(value, 'completion');
      const values = isObject(completion) ? ownMember(completion, 'values') : undefined;
      if (Array.isArray(values) && values.length > MAX_COMPLETIONS)
        report('too-many-completions', `${values.length} values`, { pointer: '/result/completion/values' });
    }
    const checksMeta = (revision?.version ?? '') >= '2025-06-18';
    let left = MAX_VALUES;
    const visit = (object: JsonObject, pointer: string): void => {
      left -= 1;
      if (left < 0) return;
      checkBinary(seen, object, pointer);
      const meta = ownMember(object, '_meta');
      if (checksMeta && isObject(meta)) {
        const wrong = Object.keys(meta).find((key) => !META_KEY.test(key));
        if (wrong !== undefined)
          report('meta-key', `${show(wrong)} is not a valid name`, {
            pointer: `${pointer}/_meta${formatPointer(wrong)}`,
          });
      }
      for (const [key, member] of Object.entries(object)) {
        // What users put in there has no meaning for the protocol.
        if (key === '_meta' || key === 'arguments' || key === 'structuredContent' || key === 'experimental') continue;
        visitValue(member, pointer + formatPointer(key));
      }
    };
    const visitValue = (member: JsonValue, pointer: string): void => {
      if (Array.isArray(member)) {
        for (const [index, item] of (member as readonly JsonValue[]).entries())
          visitValue(item, pointer + formatPointer(index));
      } else if (isObject(member)) visit(member, pointer);
    };
    visit(value, `/${root}`);
  }
}

function checkBinary({ report }: Seen, object: JsonObject, pointer: string): void {
  const type = ownMember(object, 'type');
  const data = ownMember(object, 'data');
  if ((type === 'image' || type === 'audio') && typeof data === 'string' && !isBase64(data))
    report('invalid-base64', `${show(data)} is not base64`, { pointer: `${pointer}/data` });
  const blob = ownMember(object, 'blob');
  if (typeof blob === 'string' && typeof ownMember(object, 'uri') === 'string' && !isBase64(blob))
    report('invalid-base64', `${show(blob)} is not base64`, { pointer: `${pointer}/blob` });
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text);
}
