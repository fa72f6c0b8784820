/**
 * Lists, page by page.
 */
/** Pages of one list, of which a server that means well has far fewer. */
export const MAX_LIST_PAGES = 10_000;

/**
 * All items of a paged list.
 *
 * @param fetchPage - Gives the page at a cursor; undefined for the first.
 * @param endsAtEmpty - Whether an empty cursor means that there is no other page. It does up to 2025-11-25; from 2026-07-28
 *   on it is a cursor like any other (MCP, pagination).
 * @returns Ends at a page without a cursor, or with one that came before.
 * @throws Error at a list that has more pages than `maxPages`.
 */
export async function* allPages<
  Page extends { readonly nextCursor?: string | null | undefined },
  Item,
>(
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
  maxPages = MAX_LIST_PAGES,
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
      throw new Error(`the list has no end: ${maxPages} pages were read`);
  }
}
