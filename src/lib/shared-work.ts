import { setTimeout } from 'node:timers/promises'

type Run<Result> = { result: Promise<Result>; callers: number; stop: AbortController }

/**
 * Work that several callers want at the same time, by key: it runs once, and is aborted when the
 * last caller leaves. The caller that starts it has no special role: the work runs until no caller
 * is left.
 */
export class SharedWork<Result> {
  readonly #runs = new Map<string, Run<Result>>()

  /**
   * Returns the result of the running work for a key, or starts it. `gone` is aborted when this
   * caller stops waiting; without it, the caller waits until the end. Throws the errors of `work`,
   * and the reason of `gone`.
   */
  async join(
    key: string,
    gone: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    gone?.throwIfAborted()
    const run = this.#runs.get(key) ?? this.#start(key, work)
    run.callers++
    const leave = () => {
      if (--run.callers > 0) return
      this.#forget(key, run)
      run.stop.abort(gone?.reason)
    }

    gone?.addEventListener('abort', leave, { once: true })

    try {
      return await untilGone(run.result, gone)
    } finally {
      gone?.removeEventListener('abort', leave)
    }
  }

  /** Returns the keys of the work that is running. */
  keys(): Iterable<string> {
    return this.#runs.keys()
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<Result>): Run<Result> {
    const stop = new AbortController()
    const run = { result: work(stop.signal), callers: 0, stop }
    this.#runs.set(key, run)
    const forget = () => this.#forget(key, run)
    run.result.then(forget, forget)
    return run
  }

  /** Aborted work keeps running for a moment, while another run may already have its key. */
  #forget(key: string, run: Run<Result>): void {
    if (this.#runs.get(key) === run) this.#runs.delete(key)
  }
}

/** Returns the result, or throws the reason of `gone` as soon as that is aborted. */
function untilGone<Result>(
  result: Promise<Result>,
  gone: AbortSignal | undefined,
): Promise<Result> {
  if (!gone) return result
  return new Promise((resolve, reject) => {
    const leave = () => reject(gone.reason)
    gone.addEventListener('abort', leave, { once: true })
    result.then(resolve, reject).finally(() => gone.removeEventListener('abort', leave))
  })
}

/** A run of work. Its times of start and failure are in milliseconds since 1970. */
type BackgroundRun = { done: Promise<boolean>; started: number; failed?: number }

/** Failed work is not repeated for this long. */
const failedMs = 10 * 60_000

/**
 * Work that many callers need, by key. It has one run per key at a time, which continues when
 * callers stop waiting.
 */
export class BackgroundWork {
  /** Callers wait for work until this long after its start. Tests wait until it is done. */
  static waitMs = 1_000

  readonly #runs = new Map<string, BackgroundRun>()

  /**
   * Starts work, or joins the running work of the key, and waits until `waitMs` after its start.
   * Returns the result of `work`, or false if it is not done. Reports an error to `failed`, and
   * then returns false for ten minutes without a new attempt.
   */
  run(
    key: string,
    work: () => Promise<boolean>,
    failed: (error: unknown) => void,
  ): Promise<boolean> {
    const before = this.#runs.get(key)
    const isOver = before?.failed !== undefined && Date.now() - before.failed > failedMs
    const run = before && !isOver ? before : this.#start(key, work, failed)
    this.#runs.set(key, run)
    const left = Math.max(0, run.started + BackgroundWork.waitMs - Date.now())
    return Promise.race([run.done, setTimeout(left, false, { ref: false })])
  }

  #start(
    key: string,
    work: () => Promise<boolean>,
    failed: (error: unknown) => void,
  ): BackgroundRun {
    const run: BackgroundRun = { done: Promise.resolve(false), started: Date.now() }
    run.done = work().then(
      isDone => {
        this.#runs.delete(key)
        return isDone
      },
      error => {
        run.failed = Date.now()
        failed(error)
        return false
      },
    )

    return run
  }
}
