import type { Actor } from '../../access/asker.ts'
import { Fault } from '../../errors.ts'
import { FairSlots } from '../../lib/fair-slots.ts'
import { addressGroup } from './client-address.ts'
import { countedAs, whoseOf } from './throttles.ts'

/**
 * Who asks for an answer that has to be computed: a user, or anybody else at the group of an
 * address.
 */
export type Applicant = { kind: 'user' | 'stranger'; share: string }

/**
 * Counts characters of content that a run is about to hold with all that is made of them, and waits
 * until the run may hold so many. Throws what `Admission.run` throws.
 */
export type Hold = (characters: number) => Promise<void>

/** Runs work of one applicant once there is a slot for it. */
export type Admit = <Result>(work: (hold: Hold) => Promise<Result>) => Promise<Result>

type Loads = Readonly<Record<Applicant['kind'], FairSlots['load']>>

/** How long callers who are refused are asked to wait, in seconds. */
const retryAfter = 5

/** A run that holds more characters is large: a comparison of two such texts takes about 100 MB. */
const largeFrom = 64_000

const busy = (): Fault =>
  new Fault(
    'busy',
    `The server is computing answers to too many other requests. Try again in ${retryAfter} s.`,
    undefined,
    { label: 'admission', retryAfter },
  )

const line = { waitersPerShare: 100, mostWaiting: 1_000, waitMs: 10_000, refusal: busy }

/**
 * Admits work that is done to answer a request: rendering, comparing, searching. Little of it runs
 * at once, because all of it shares one processor, and one large run at a time, because each holds
 * a page with all that is made of it. Every applicant has a share of the slots, and strangers never
 * hold those of users.
 */
export class Admission {
  readonly #slots: Readonly<Record<Applicant['kind'], FairSlots>> = {
    stranger: new FairSlots({ ...line, total: 2, perShare: 1 }),
    user: new FairSlots({ ...line, total: 3, perShare: 2, waitersPerShare: 500, waitMs: 20_000 }),
  }
  readonly #large = new FairSlots({ ...line, total: 1, perShare: 1 })

  /**
   * Runs work once there is a slot for it. `gone` is aborted when the result is no longer needed.
   * Throws 'unavailable' if the line is full or too slow, and the reason of `gone` while the work
   * waits.
   */
  run<Result>(
    { kind, share }: Applicant,
    gone: AbortSignal | undefined,
    work: (hold: Hold) => Promise<Result>,
  ): Promise<Result> {
    return this.#slots[kind].run(
      share,
      async () => {
        let held = 0
        let release = () => {}
        const hold: Hold = async characters => {
          const isLarge = held > largeFrom
          held += characters
          if (!isLarge && held > largeFrom) release = await this.#large.take(share, gone)
        }

        try {
          return await work(hold)
        } finally {
          release()
        }
      },
      gone,
    )
  }

  /** The numbers of runs and of waiting applicants, by kind. */
  get loads(): Loads {
    return { stranger: this.#slots.stranger.load, user: this.#slots.user.load }
  }
}

/** Returns the applicant that a caller is. `address` is that of the client, or its group. */
export const applicantOf = (actor: Actor, address: string): Applicant =>
  actor.type === 'anonymous'
    ? { kind: 'stranger', share: addressGroup(address) }
    : {
        kind: actor.type === 'user' ? 'user' : 'stranger',
        share: countedAs(whoseOf(actor), address),
      }
