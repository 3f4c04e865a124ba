import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '../../errors.ts'
import { closeWithConnection } from '../limits/connections.ts'
import { Answer, type UnsentLimits } from './answer.ts'
import { refuseAnswer } from './refuse-answer.ts'
import { UnsentBudget } from './unsent-budget.ts'

const megabyte = 1_000_000

/** The default has room for a piece of a file on every connection of a server. */
const defaults: UnsentLimits & { most: number; share: number } = {
  most: 64 * megabyte,
  share: 24 * megabyte,
  stalledMs: 2_000,
  stalledRate: 64 * 1024,
  leastRate: 8_000,
  windowMs: 60_000,
}
/** The interval between checks of the rate, in milliseconds. */
const lookMs = 1_000
/**
 * When no answer could be ended for another one, the next attempt is this much later, in
 * milliseconds.
 */
const retryMs = 100
/** Answers up to this size are not refused. */
const small = 16 * 1024

export type UnsentOptions = {
  /**
   * Returns the group of addresses of a client, which has a share of the budget; undefined for a
   * proxy's own address.
   */
  groupOf: (req: IncomingMessage) => string | undefined
  onRefused: (reason: string) => void
  limits?: Partial<typeof defaults>
}

/**
 * Counts the bytes of answers that wait for their clients to read. Each client has a share of the
 * budget. When a share or the budget is spent, the slowest answers are ended for new ones, and new
 * ones are refused while no answer is slow. A client that reads too slowly for a minute loses its
 * connection.
 */
export class UnsentAnswers {
  readonly #options: UnsentOptions
  readonly #limits: typeof defaults
  readonly #budget: UnsentBudget
  readonly #answers = new Map<ServerResponse, Answer>()
  #timer: NodeJS.Timeout | undefined
  #full = 0

  constructor(options: UnsentOptions) {
    this.#options = options
    this.#limits = { ...defaults, ...options.limits }
    this.#budget = new UnsentBudget(this.#limits)
  }

  /** The bytes that wait now, by the last count of each answer. */
  get held(): number {
    return this.#budget.held
  }

  /** Counts the rest of an answer that was sent from a cache: several may have the same bytes. */
  sent(req: IncomingMessage, res: ServerResponse, body: Buffer): void {
    if (res.writableLength === 0) return
    closeWithConnection(req, res)
    const answer = this.#answerOf(req, res)
    this.#budget.shareBody(answer, body)
    if (!this.#makeRoom(answer.group, 0)) this.#end(answer, reasons.budget)
  }

  /**
   * Counts what an answer holds after each write. Sends 429 or 503 in its place when it does not
   * fit. `ownPace` tells that the sender ends slow clients itself.
   */
  follow(req: IncomingMessage, res: ServerResponse, { ownPace = false } = {}): void {
    const write = res.write.bind(res) as (...given: unknown[]) => boolean
    const end = res.end.bind(res) as (...given: unknown[]) => ServerResponse
    res.write = ((...given: unknown[]) => {
      const goesOn = write(...given)
      this.#note(req, res, { ownPace })
      return goesOn
    }) as ServerResponse['write']

    res.end = ((...given: unknown[]) => {
      const [body] = given
      const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : 0
      const fault = bytes > small && !res.headersSent && this.#refusal(req, bytes)

      if (fault) {
        this.#options.onRefused(fault.refusal?.label ?? '')
        refuseAnswer(res, fault, end)
      } else {
        end(...given)
        this.#note(req, res, { ownPace, ...(Buffer.isBuffer(body) && { body }) })
      }

      return res
    }) as ServerResponse['end']
  }

  /**
   * Throws 'too_many' when a client has spent most of its share, before anything is computed for
   * it.
   */
  check(req: IncomingMessage): void {
    if (this.#budget.held < this.#limits.share * 0.75) return
    const group = this.#options.groupOf(req)
    if (group !== undefined && !this.#makeRoom(group, this.#limits.share / 4)) throw shareSpent()
  }

  /** Ends the clients that read too slowly. The server calls it every second while answers wait. */
  look(now = performance.now()): void {
    for (const answer of this.#answers.values()) {
      this.#measure(answer, now)
      if (answer.isTooSlow(this.#limits)) this.#end(answer, reasons.rate)
    }
  }

  #note(
    req: IncomingMessage,
    res: ServerResponse,
    { ownPace, body }: { ownPace: boolean; body?: Buffer },
  ): void {
    if (res.writableLength === 0 || res.closed) return
    const isNew = !this.#answers.has(res)
    const answer = this.#answerOf(req, res, ownPace)
    if (isNew && body) this.#budget.shareBody(answer, body)
    else this.#budget.count(answer, res.writableLength)
    this.#makeRoom(answer.group, 0)
  }

  #answerOf(req: IncomingMessage, res: ServerResponse, ownPace = false): Answer {
    const known = this.#answers.get(res)
    if (known) return known
    const answer = new Answer(req.socket, res, { group: this.#options.groupOf(req), ownPace })
    this.#answers.set(res, answer)
    res.once('close', () => this.#forget(answer))
    this.#timer ??= setInterval(() => this.look(), lookMs).unref()
    return answer
  }

  #forget(answer: Answer): void {
    this.#budget.release(answer)
    this.#answers.delete(answer.res)
    if (this.#answers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #measure(answer: Answer, now: number): void {
    answer.measure(now)
    if (answer.res.writableLength === 0) this.#budget.release(answer)
    else if (!this.#budget.sharesBody(answer)) this.#budget.count(answer, answer.res.writableLength)
  }

  #end(answer: Answer, reason: string): void {
    this.#options.onRefused(reason)
    this.#forget(answer)
    answer.end()
  }

  #refusal(req: IncomingMessage, bytes: number): Fault | undefined {
    if (this.#budget.held + bytes <= this.#limits.share) return undefined
    const group = this.#options.groupOf(req)
    if (this.#makeRoom(group, bytes)) return undefined
    return this.#budget.exceedsShare(group, bytes) ? shareSpent() : budgetSpent()
  }

  /**
   * Returns whether an answer of this many bytes fits, after ending as many slow ones as necessary,
   * the slowest first.
   */
  #makeRoom(group: string | undefined, bytes: number): boolean {
    const budget = this.#budget
    if (budget.fits(group, bytes)) return true
    const now = performance.now()
    if (now - this.#full < retryMs) return false
    for (const answer of this.#answers.values()) this.#measure(answer, now)
    const slow = [...this.#answers.values()]
      .filter(answer => answer.isStalled(this.#limits))
      .sort((one, other) => one.rate - other.rate)

    for (const answer of slow) {
      if (budget.fits(group, bytes)) break
      if (!budget.exceedsShare(group, bytes)) this.#end(answer, reasons.budget)
      else if (answer.group === group) this.#end(answer, reasons.share)
    }

    const fits = budget.fits(group, bytes)
    if (!fits) this.#full = now

    return fits
  }
}

/** The `reason` labels of the metric. */
const reasons = { share: 'unread_share', budget: 'unread_budget', rate: 'slow_reader' }

const shareSpent = () =>
  new Fault(
    'too_many_concurrent',
    'Too many answers to your address have not been read yet. Read them, or request large answers one after the other.',
    undefined,
    { label: reasons.share, retryAfter: 5 },
  )

const budgetSpent = () =>
  new Fault(
    'busy',
    'The server is sending too many large answers. Try again in a few seconds.',
    undefined,
    { label: reasons.budget, retryAfter: 5 },
  )
