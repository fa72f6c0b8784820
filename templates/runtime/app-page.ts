/**
 * What a page of MCP Apps does with its document: it looks as its host wants, and reports its size. It uses no types of
 * the DOM, so that a program without them compiles.
 */

/** What a host says about how pages look (MCP Apps 2026-01-26, host context and theming). */
export interface PageContext {
  readonly theme?: "light" | "dark" | undefined;
  readonly styles?:
    | {
        /** CSS variables by name, such as `--color-text-primary`. */
        readonly variables?:
          Readonly<Record<string, string | undefined>> | undefined;
        readonly css?: { readonly fonts?: string | undefined } | undefined;
      }
    | undefined;
  /** Parts of the page that the device covers, in pixels. */
  readonly safeAreaInsets?:
    | {
        readonly top: number;
        readonly right: number;
        readonly bottom: number;
        readonly left: number;
      }
    | undefined;
}

/** The members of `document` that are used. */
export interface PageDocument {
  readonly documentElement: PageElement & {
    readonly style: {
      colorScheme: string;
      setProperty(name: string, value: string): void;
    };
    setAttribute(name: string, value: string): void;
  };
  readonly head: { append(element: PageElement): void };
  createElement(name: "style"): PageElement;
  getElementById(id: string): PageElement | null;
}

interface PageElement {
  id: string;
  textContent: string | null;
  getBoundingClientRect(): { readonly width: number; readonly height: number };
}

/** The id of the element with the fonts of the host. */
const FONTS_ID = "host-fonts";

/**
 * Applies the theme, the CSS variables, the fonts and the insets of a host to the document. Call it with the context of
 * the handshake, and with each `ui/notifications/host-context-changed`: what a context does not contain stays.
 *
 * The theme is `data-theme` of the root element and its `color-scheme`, so that `light-dark()` follows it; insets are the
 * variables `--safe-area-inset-top` and so on.
 *
 * @param page - The document to change; `document` by default.
 */
export function applyHostContext(
  context: PageContext | undefined,
  page: PageDocument = (globalThis as unknown as PageWindow).document,
): void {
  const { theme, styles, safeAreaInsets } = context ?? {};
  const root = page.documentElement;
  if (theme !== undefined) {
    root.setAttribute("data-theme", theme);
    root.style.colorScheme = theme;
  }
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    // Only variables: a host must not set other properties by accident.
    if (value !== undefined && name.startsWith("--"))
      root.style.setProperty(name, value);
  for (const [side, size] of Object.entries(safeAreaInsets ?? {}))
    root.style.setProperty(`--safe-area-inset-${side}`, `${String(size)}px`);
  const fonts = styles?.css?.fonts;
  if (fonts === undefined) return;
  let element = page.getElementById(FONTS_ID);
  if (element === null) {
    element = page.createElement("style");
    element.id = FONTS_ID;
    page.head.append(element);
  }
  element.textContent = fonts;
}

/** The size of a page, in CSS pixels. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** The members of `window` that are used. */
interface PageWindow {
  readonly document: PageDocument;
  readonly innerWidth: number;
  readonly ResizeObserver: new (callback: () => void) => {
    observe(element: PageElement): void;
    disconnect(): void;
  };
}

/**
 * Reports the size of the document, now and after each change of its content, for `ui/notifications/size-changed`. Equal
 * sizes are reported once.
 *
 * The width is that of the window, since a page should fill what its host gives it. The root element must not have a fixed
 * height.
 *
 * @returns A function that ends it; call it when the host removes the page.
 */
export function watchSize(report: (size: PageSize) => void): () => void {
  const page = globalThis as unknown as PageWindow;
  const root = page.document.documentElement;
  let last: PageSize | undefined;
  const observer = new page.ResizeObserver(() => {
    const size = {
      width: page.innerWidth,
      height: Math.ceil(root.getBoundingClientRect().height),
    };
    if (size.width === last?.width && size.height === last.height) return;
    last = size;
    report(size);
  });
  observer.observe(root);
  return () => {
    observer.disconnect();
  };
}
