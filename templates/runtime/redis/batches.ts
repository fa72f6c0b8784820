/** What goes to one key in order: what is added while a batch is on its way is the next one. */

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

interface Lane<T, R> {
  waiting: Waiting<T, R>[];
}

/** Items of a batch, so that Redis does not work on one for long. */
const MAX_ITEMS = 64;
/** Characters of a batch; a larger item is sent alone. */
const MAX_CHARACTERS = 1024 * 1024;

/**
 * Runs operations on the same key one after the other, in the order of the calls, and those that had to wait together.
 * So a fast sender does not wait for a round trip for each of them.
 */
export class OrderedBatches<T extends { readonly text: string }, R> {
  readonly #lanes = new Map<string, Lane<T, R>>();
  readonly #run: (id: string, items: readonly T[]) => Promise<readonly R[]>;

  /** @param run - Returns one result for each item. */
  constructor(run: (id: string, items: readonly T[]) => Promise<readonly R[]>) {
    this.#run = run;
  }

  /** Rejects like the batch in which the item was. */
  add(id: string, item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      const entry = { item, resolve, reject };
      const lane = this.#lanes.get(id);
      if (lane !== undefined) {
        lane.waiting.push(entry);
        return;
      }
      const opened = { waiting: [entry] };
      this.#lanes.set(id, opened);
      void this.#drain(id, opened);
    });
  }

  async #drain(id: string, lane: Lane<T, R>): Promise<void> {
    while (lane.waiting.length > 0) {
      const batch = takeBatch(lane);
      try {
        const results = await this.#run(
          id,
          batch.map(({ item }) => item),
        );
        batch.forEach(({ resolve, reject }, index) => {
          if (index < results.length) resolve(results[index] as R);
          else reject(new Error("no result for an item of a batch"));
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#lanes.delete(id);
  }
}

function takeBatch<T extends { readonly text: string }, R>(
  lane: Lane<T, R>,
): readonly Waiting<T, R>[] {
  let characters = 0;
  let count = 0;
  for (const { item } of lane.waiting.slice(0, MAX_ITEMS)) {
    characters += item.text.length;
    if (count > 0 && characters > MAX_CHARACTERS) break;
    count += 1;
  }
  return lane.waiting.splice(0, count);
}
