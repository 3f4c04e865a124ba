import type { Actor } from '../../access/asker.ts'
import { Fault } from '../../errors.ts'
import { FairSlots, SlotsBusyError } from '../../lib/fair-slots.ts'
import { countedAs, whoseOf } from './throttles.ts'

/** Who asks for an answer that has to be computed: a user, or anybody else at the group of an address. */
export type Applicant = { kind: 'user' | 'stranger'; share: string }

/** Runs work of one applicant once there is a slot for it. */
export type Admit = <Result>(work: () => Promise<Result>) => Promise<Result>

/** How long callers who are refused are asked to wait, in seconds. */
const retryAfter = 5

/**
 * Admits work that is done to answer a request: rendering, comparing, searching. Little of it runs at once, because each
 * run holds a page with all that is made of it, and all share one processor. Every applicant has a share of the slots, and
 * strangers never hold those of users.
 */
export class Admission {
  readonly #slots: Readonly<Record<Applicant['kind'], FairSlots>> = {
    stranger: new FairSlots({
      total: 2,
      perShare: 1,
      waitersPerShare: 100,
      mostWaiting: 1_000,
      waitMs: 10_000,
    }),
    user: new FairSlots({
      total: 3,
      perShare: 2,
      waitersPerShare: 200,
      mostWaiting: 2_000,
      waitMs: 20_000,
    }),
  }

  /**
   * Runs work once there is a slot for it. `gone` is aborted when the result is no longer needed. Throws 'unavailable' if the
   * line is full or too slow, and the reason of `gone` while the work waits.
   */
  async run<Result>(
    { kind, share }: Applicant,
    gone: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const release = await this.#slots[kind].take(share, gone).catch((error: unknown) => {
      throw error instanceof SlotsBusyError ? busy() : error
    })
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** The number of runs and of waiting applicants of a kind. */
  load(kind: Applicant['kind']): { held: number; waiting: number } {
    return this.#slots[kind].load
  }
}

const busy = (): Fault =>
  new Fault(
    'unavailable',
    `The server is computing answers to too many other requests. Try again in ${retryAfter} s.`,
    undefined,
    { reason: 'admission', retryAfter },
  )

/** Returns who a caller of the API is among applicants. `address` is that of the client. */
export const applicantOf = (actor: Actor, address: string): Applicant =>
  actor.type === 'anonymous'
    ? { kind: 'stranger', share: address }
    : { kind: actor.type === 'user' ? 'user' : 'stranger', share: countedAs(whoseOf(actor), address) }
