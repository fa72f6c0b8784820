import { StoreError } from "./limited-cluster.js";
import { encodeMail } from "./wire.js";
import type { WireMessage } from "./wire.js";

/** Characters of messages that are sent together, if there is more than one. */
const MAX_MAIL_CHARS = 1024 * 1024;

const RESOLVED = Promise.resolve();

interface WaitingMessage {
  readonly from: string;
  readonly text: string;
  readonly resolve: (isSent: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends messages to the mailboxes of other processes.
 *
 * To each address one mail is on its way at a time, so that messages arrive in their order; what comes meanwhile is
 * sent together. An address is in `#waiting` while a mail to it is on its way.
 */
export class Outbox {
  readonly #sendMail: (address: string, mail: string) => Promise<boolean>;
  readonly #waiting = new Map<string, WaitingMessage[]>();
  readonly #pumps = new Set<Promise<void>>();

  /** @param sendMail - As `send` of a mailbox. */
  constructor(sendMail: (address: string, mail: string) => Promise<boolean>) {
    this.#sendMail = sendMail;
  }

  /** Whether everything was sent. */
  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  /**
   * Sends a message.
   *
   * @param from - The address of this process; undefined while it has no mailbox.
   * @returns False if there is no such mailbox, so that the message was certainly not received.
   * @throws StoreError if the message was not sent, or that is not known.
   */
  send(
    from: string | undefined,
    address: string,
    message: WireMessage,
  ): Promise<boolean> {
    if (from === undefined)
      return Promise.reject(
        new StoreError("this process has no mailbox", undefined, true),
      );
    return new Promise((resolve, reject) => {
      const waiting = { from, text: JSON.stringify(message), resolve, reject };
      const others = this.#waiting.get(address);
      if (others === undefined) {
        this.#waiting.set(address, [waiting]);
        const pump = this.#pump(address).finally(() =>
          this.#pumps.delete(pump),
        );
        this.#pumps.add(pump);
      } else others.push(waiting);
    });
  }

  /** Resolves when everything that waits now was sent, or could not be sent. */
  async flush(): Promise<void> {
    await Promise.all(this.#pumps);
  }

  async #pump(address: string): Promise<void> {
    // What is sent in the same turn goes together.
    await RESOLVED;
    for (;;) {
      const waiting = this.#waiting.get(address) ?? [];
      const [first] = waiting;
      if (first === undefined) break;
      // This process may have another address by now.
      const { from } = first;
      let chars = 0;
      let count = 0;
      for (const { text, from: sender } of waiting) {
        if (sender !== from) break;
        if (count > 0 && chars + text.length > MAX_MAIL_CHARS) break;
        chars += text.length;
        count += 1;
      }
      const batch = waiting.splice(0, count);
      const mail = encodeMail(
        from,
        batch.map(({ text }) => text),
      );
      try {
        const isSent = await this.#sendMail(address, mail);
        for (const { resolve } of batch) resolve(isSent);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(address);
  }
}
