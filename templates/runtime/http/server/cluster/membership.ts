import type { Mailbox } from "../../../cluster/types.js";
import { keepProcessAlive } from "../../../jsonrpc/envelope.js";
import { StoreError } from "./limited-cluster.js";

/** The part of a lease that a process uses: the clocks of others may be a little faster. */
const USABLE_PART = 0.9;
/** How often a lease is renewed before it would run out. */
const RENEWALS = 3;

/** What a {@link Membership} reports. */
export interface MembershipHost {
  receive(mail: string): void;
  /** Others may have taken this process for dead: it owns nothing any more. */
  onFenced(): void;
}

/**
 * This process as a member of the cluster: its mailbox, under a random address that is used once, and the lease of it.
 *
 * While `isValid`, no other process takes this one for dead. `onFenced` is called once for each address that was valid
 * and is not any more, before another one is opened.
 */
export class Membership {
  readonly lease: number;
  /** How many processes are alive, this one included. */
  live = 1;
  readonly #mailbox: Mailbox;
  readonly #host: MembershipHost;
  #address: string | undefined;
  /** By a clock that does not stop with the process. */
  #validUntil = Number.NEGATIVE_INFINITY;
  #opening: Promise<string> | undefined;
  #isRenewing = false;
  #isClosed = false;
  readonly #timer: ReturnType<typeof setInterval>;
  #fenceTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(mailbox: Mailbox, lease: number, host: MembershipHost) {
    this.#mailbox = mailbox;
    this.lease = lease;
    this.#host = host;
    this.#timer = setInterval(() => {
      void this.#renew();
    }, lease / RENEWALS);
    keepProcessAlive(this.#timer, false);
    void this.#renew();
  }

  /** The address of the mailbox, while it is valid. */
  get address(): string | undefined {
    return this.isValid ? this.#address : undefined;
  }

  /** Whether others know this process to be alive. If its lease has run out, it is fenced off now. */
  get isValid(): boolean {
    this.#fenceIfExpired();
    return this.#address !== undefined;
  }

  /**
   * The address of the mailbox, which is opened if it is not.
   *
   * @throws StoreError if that fails.
   */
  ready(): string | Promise<string> {
    const { address } = this;
    if (address !== undefined) return address;
    if (this.#isClosed)
      return Promise.reject(new StoreError("the process has left the cluster"));
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Leaves the cluster. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#fenceTimer);
    const address = this.#address;
    this.#address = undefined;
    await this.#opening?.catch(() => undefined);
    if (address !== undefined) await this.#closeMailbox(address);
  }

  async #open(): Promise<string> {
    const address = crypto.randomUUID();
    const sentAt = performance.now();
    try {
      await this.#mailbox.open(address, this.lease, (mail) => {
        if (this.#address === address || this.#address === undefined)
          this.#host.receive(mail);
      });
    } catch (error) {
      // It may be open nevertheless.
      void this.#closeMailbox(address);
      throw error;
    }
    if (this.#isClosed) {
      void this.#closeMailbox(address);
      throw new StoreError("the process has left the cluster");
    }
    this.#address = address;
    this.#extendTo(sentAt);
    void this.#countLive();
    return address;
  }

  #extendTo(sentAt: number): void {
    this.#validUntil = sentAt + this.lease * USABLE_PART;
    clearTimeout(this.#fenceTimer);
    this.#fenceTimer = setTimeout(
      () => {
        this.#fenceIfExpired();
      },
      this.#validUntil - performance.now() + 1,
    );
    keepProcessAlive(this.#fenceTimer, false);
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing || this.#isClosed) return;
    this.#isRenewing = true;
    try {
      const { address } = this;
      if (address === undefined) {
        await this.ready();
        return;
      }
      const sentAt = performance.now();
      const isAlive = await this.#mailbox.renew(address, this.lease);
      if (this.#address !== address) return;
      if (isAlive) {
        this.#extendTo(sentAt);
        // Not awaited: with a slow store, the next renewal would come too late.
        void this.#countLive();
      } else {
        this.#fence();
        await this.ready();
      }
    } catch {
      // The store has reported it, and the next renewal tries again.
    } finally {
      this.#isRenewing = false;
    }
  }

  async #countLive(): Promise<void> {
    try {
      this.live = Math.max(1, (await this.#mailbox.list()).length);
    } catch {
      // The last number is still the best one.
    }
  }

  #fenceIfExpired(): void {
    if (this.#address !== undefined && performance.now() >= this.#validUntil)
      this.#fence();
  }

  #fence(): void {
    const address = this.#address;
    if (address === undefined) return;
    this.#address = undefined;
    clearTimeout(this.#fenceTimer);
    void this.#closeMailbox(address);
    this.#host.onFenced();
  }

  async #closeMailbox(address: string): Promise<void> {
    try {
      await this.#mailbox.close(address);
    } catch {
      // Its lease runs out.
    }
  }
}
