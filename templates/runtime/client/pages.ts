/** Paged lists. */
/** Default maximum of pages in one list; real servers have far fewer. */
export const MAX_LIST_PAGES = 10_000;

/**
 * Iterates over all items of a paged list.
 *
 * @param fetchPage - Returns the page at a cursor; undefined is the first page.
 * @param endsAtEmpty - Whether an empty cursor means that there is no further page. It does up to 2025-11-25; from
 *   2026-07-28 on it is a cursor like any other (MCP, pagination).
 * @returns Ends at a page without a cursor, or with a repeated one.
 * @throws Error if the list has more pages than `maxPages`.
 */
export async function* allPages<
  Page extends { readonly nextCursor?: string | null | undefined },
  Item,
>(
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
  maxPages: number = MAX_LIST_PAGES,
  endsAtEmpty: () => boolean = () => true,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const page = await fetchPage(cursor);
    yield* itemsOf(page);
    cursor = page.nextCursor ?? undefined;
    if (cursor === undefined || (cursor === "" && endsAtEmpty())) return;
    if (seen.has(cursor)) return;
    seen.add(cursor);
    if (seen.size >= maxPages)
      throw new Error(`the list does not end after ${maxPages} pages`);
  }
}
