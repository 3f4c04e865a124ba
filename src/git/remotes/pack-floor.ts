import { GitError } from '../values/errors.ts'

/** The minimum speed at which a remote must send a pack. */
export type PackFloor = {
  /** Milliseconds before measuring starts, in which the remote connects, counts and compresses. */
  graceMs: number
  /** Milliseconds over which the speed is averaged. */
  windowMs: number
  bytesPerSecond: number
  /** A pack of many small objects may be below the limit in bytes if it reaches this. */
  objectsPerSecond: number
  /** Milliseconds without progress of git itself that are allowed once all objects are received. */
  finishMs: number
}

export const defaultFloor: PackFloor = {
  graceMs: 30_000,
  windowMs: 30_000,
  bytesPerSecond: 64 * 1024,
  objectsPerSecond: 100,
  finishMs: 120_000,
}

type Sample = { at: number; bytes: number; objects: number }

/**
 * Watches a fetch and aborts `signal` with GitError 'too_slow' when the remote sends its pack more
 * slowly than the floor allows. Only the pack on the disk and git's own progress count; the remote
 * can print "remote: …" for free.
 */
export class PackWatch {
  readonly #floor: PackFloor
  readonly #packBytes: () => Promise<number>
  readonly #over = new AbortController()
  readonly #begun = performance.now()
  readonly #samples: Sample[] = []
  readonly #timer: NodeJS.Timeout
  #rest = ''
  #objects = 0
  /** When git last made progress after all objects were received; undefined before that. */
  #finishing: number | undefined

  constructor(packBytes: () => Promise<number>, floor: PackFloor) {
    this.#packBytes = packBytes
    this.#floor = floor
    this.#timer = setInterval(() => this.#look().catch(() => {}), floor.windowMs / 6)
  }

  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** Aborts the fetch for another reason. */
  abort(reason: unknown): void {
    this.#over.abort(reason)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Parses a chunk of git's stderr. */
  read(text: string): void {
    const lines = (this.#rest + text).split(/[\r\n]/)
    this.#rest = (lines.pop() ?? '').slice(-500)

    for (const line of lines) {
      // Lines of the remote start with "remote:".
      if (!/^[A-Z][a-z]+ [a-z]+: +\d/.test(line)) continue
      const [, objects] = /^Receiving objects: +\d+% \((\d+)\//.exec(line) ?? []
      if (objects !== undefined) this.#objects = Number(objects)
      const isReceived =
        objects === undefined ? this.#finishing !== undefined : /, done\.$/.test(line)
      if (isReceived) this.#finishing = performance.now()
    }
  }

  async #look(): Promise<void> {
    const bytes = await this.#packBytes()
    const at = performance.now()
    if (this.#finishing === undefined) this.#measure({ at, bytes, objects: this.#objects })
    else if (at - this.#finishing > this.#floor.finishMs) this.#end()
  }

  #measure(now: Sample): void {
    const { graceMs, windowMs, bytesPerSecond, objectsPerSecond } = this.#floor
    if (now.at - this.#begun < graceMs) return
    this.#samples.push(now)
    const before = this.#samples.findLast(({ at }) => at <= now.at - windowMs)
    if (!before) return

    const seconds = (now.at - before.at) / 1000
    const isFast =
      now.bytes - before.bytes >= bytesPerSecond * seconds ||
      now.objects - before.objects >= objectsPerSecond * seconds
    if (!isFast) this.#end()
    this.#samples.splice(0, this.#samples.indexOf(before))
  }

  #end(): void {
    this.#over.abort(new GitError('too_slow', 'The remote server is sending too slowly.'))
  }
}
