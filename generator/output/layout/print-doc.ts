/** Prints a document by the algorithm of Prettier: each group on one line if it fits, otherwise broken. */
import { concat, fill, type Doc, type DocNode, type Fill, type Group } from './doc.js';

/** The settings of a layout. */
export interface PrintSettings {
  /** Maximum columns of a line, if it can be broken. */
  readonly printWidth: number;
  /** Columns of a level of indentation. */
  readonly tabWidth: number;
}

/** A document with its indentation, in columns, and whether the group around it is broken. */
interface Command {
  readonly indent: number;
  readonly isBroken: boolean;
  readonly doc: Doc;
}

/** Prints a document. */
export function printDoc(doc: Doc, settings: PrintSettings): string {
  return new DocPrinter(settings).print(doc);
}

class DocPrinter {
  readonly #settings: PrintSettings;
  readonly #commands: Command[] = [];
  readonly #lines: string[] = [];
  #line = '';
  /** Whether a break within a group that fits makes the measures of the groups in it wrong. */
  #mustRemeasure = false;

  constructor(settings: PrintSettings) {
    this.#settings = settings;
  }

  print(doc: Doc): string {
    this.#commands.push({ indent: 0, isBroken: true, doc });
    for (let next = this.#commands.pop(); next !== undefined; next = this.#commands.pop()) {
      if (typeof next.doc === 'string') this.#line += next.doc;
      else this.#printNode(next.doc, next);
    }
    return [...this.#lines, this.#line].join('\n');
  }

  #printNode(doc: DocNode, { indent, isBroken }: Command): void {
    switch (doc.kind) {
      case 'concat':
        for (let index = doc.parts.length - 1; index >= 0; index -= 1)
          this.#commands.push({ indent, isBroken, doc: doc.parts[index] ?? '' });
        break;
      case 'indent':
        this.#commands.push({
          indent: indent + (doc.columns ?? this.#settings.tabWidth),
          isBroken,
          doc: doc.contents,
        });
        break;
      case 'group':
        this.#printGroup(doc, indent, isBroken);
        break;
      case 'ifBreak': {
        const mode = doc.group === undefined ? isBroken : doc.group.isBroken;
        if (mode !== undefined) this.#commands.push({ indent, isBroken, doc: mode ? doc.broken : doc.flat });
        break;
      }
      case 'fill':
        this.#printFill(doc, indent, isBroken);
        break;
      case 'lines':
        this.#line += doc.texts[0] ?? '';
        for (let index = 1; index < doc.texts.length; index += 1) {
          this.#lines.push(this.#line);
          this.#line = ' '.repeat(indent) + (doc.texts[index] ?? '');
        }
        break;
      case 'line':
        if (!isBroken && !doc.isHard) {
          if (!doc.isSoft) this.#line += ' ';
          break;
        }
        if (!isBroken) this.#mustRemeasure = true;
        this.#lines.push(this.#line.trimEnd());
        this.#line = ' '.repeat(indent);
    }
  }

  #printGroup(doc: Group, indent: number, isBroken: boolean): void {
    const command = this.#groupCommand(doc, indent, isBroken);
    this.#commands.push(command);
    if (doc.id !== undefined) doc.id.isBroken = command.isBroken;
  }

  #groupCommand(doc: Group, indent: number, isBroken: boolean): Command {
    if (!isBroken && !this.#mustRemeasure) return { indent, isBroken: doc.isBroken, doc: doc.contents };
    this.#mustRemeasure = false;
    if (doc.isBroken) return { indent, isBroken: true, doc: doc.states?.at(-1) ?? doc.contents };
    const fitting = [doc.contents, ...(doc.states ?? []).slice(1, -1)].find((state) =>
      this.#fits(state, this.#commands.length),
    );
    return fitting === undefined
      ? { indent, isBroken: true, doc: doc.states?.at(-1) ?? doc.contents }
      : { indent, isBroken: false, doc: fitting };
  }

  #printFill(doc: Fill, indent: number, isBroken: boolean): void {
    const [content = '', separator, second, ...others] = doc.parts;
    const contentFits = this.#fits(content, 0, true);
    if (separator === undefined) {
      this.#commands.push({ indent, isBroken: !contentFits, doc: content });
      return;
    }
    const bothFit = second === undefined ? contentFits : this.#fits(concat([content, separator, second]), 0, true);
    if (second !== undefined) this.#commands.push({ indent, isBroken, doc: fill([second, ...others]) });
    this.#commands.push(
      { indent, isBroken: !bothFit, doc: separator },
      { indent, isBroken: !contentFits, doc: content },
    );
  }

  /**
   * Whether a document fits on the rest of the line, on one line and with what follows up to the next break.
   *
   * @param rest - How many of the commands follow.
   * @param mustBeFlat - Whether no group in it may be broken.
   */
  #fits(next: Doc, rest: number, mustBeFlat = false): boolean {
    let remaining = this.#settings.printWidth - this.#line.length;
    let isPending = false;
    let restIndex = rest;
    const docs: Doc[] = [next];
    const modes: boolean[] = [false];
    while (remaining >= 0) {
      let doc = docs.pop();
      let isBroken = modes.pop() ?? false;
      if (doc === undefined) {
        if (restIndex === 0) return true;
        restIndex -= 1;
        const command = this.#commands[restIndex];
        doc = command?.doc ?? '';
        // Stryker disable next-line BooleanLiteral: there is a command at each index below `rest`
        isBroken = command?.isBroken ?? false;
      }
      if (typeof doc === 'string') {
        if (doc === '') continue;
        remaining -= doc.length + (isPending ? 1 : 0);
        isPending = false;
        continue;
      }
      if (!isBroken && !Number.isNaN(doc.width)) {
        isPending ||= doc.startsWithSpace;
        if (!doc.hasText) continue;
        remaining -= doc.width + (isPending ? 1 : 0);
        isPending = doc.endsWithSpace;
        continue;
      }
      switch (doc.kind) {
        case 'concat':
        case 'fill':
          for (let index = doc.parts.length - 1; index >= 0; index -= 1) {
            docs.push(doc.parts[index] ?? '');
            modes.push(isBroken);
          }
          break;
        case 'indent':
          docs.push(doc.contents);
          modes.push(isBroken);
          break;
        case 'group': {
          if (mustBeFlat && doc.isBroken) return false;
          const mode = doc.isBroken || isBroken;
          // A group that is not broken is measured in the mode around it.
          docs.push(mode && doc.states !== undefined ? (doc.states.at(-1) ?? '') : doc.contents);
          modes.push(mode);
          break;
        }
        case 'ifBreak':
          docs.push((doc.group === undefined ? isBroken : doc.group.isBroken === true) ? doc.broken : doc.flat);
          modes.push(isBroken);
          break;
        case 'lines':
          return remaining >= (doc.texts[0] ?? '').length + (isPending ? 1 : 0);
        case 'line':
          if (isBroken || doc.isHard) return true;
          if (!doc.isSoft) isPending = true;
      }
    }
    return false;
  }
}
