import { asOid, type Oid } from '../../lib/oid.ts'
import { GitError } from '../values/errors.ts'
import { endGroup, type GitChild, keepAlive } from './child.ts'
import { spawnGit } from './run.ts'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

/**
 * The answer for one object. `content` is present when it was requested and is within the limit.
 */
export type ObjectAnswer = { oid: Oid; type: ObjectType; size: number; content?: Buffer }

/** Reads objects of a repository. */
export type ObjectReader = {
  /** The number of unanswered requests. */
  readonly pending: number
  /**
   * Returns the type and size of an object, and its content if that has at most `maxBytes`; -1 for
   * no content. Returns undefined if there is no such object.
   */
  ask: (oid: Oid, maxBytes: number) => Promise<ObjectAnswer | undefined>
  /** Gives up the oldest request if it has waited longer than this. */
  endIfStuck: (limitMs: number) => void
  close: () => void
}

type Request = {
  line: string
  oid: Oid
  /** Largest content to keep; -1 when only type and size are wanted. */
  maxBytes: number
  attempts: number
  resolve: (answer: ObjectAnswer | undefined) => void
  reject: (error: Error) => void
}

/**
 * One `git cat-file --batch-command --buffer` process of a repository. Requests are sent together
 * once per turn of the event loop, followed by one `flush`, and answered in order. Only object ids
 * are ever sent: a name with a newline would be a second command. A process that dies is restarted,
 * and only the request it died on fails.
 */
export class CatFile implements ObjectReader {
  readonly #dir: string
  #child: GitChild | undefined
  #requests: Request[] = []
  #answered = 0
  #headSince = 0
  #outgoing: string[] = []
  #scheduled = false
  #header = ''
  #body: { answer: ObjectAnswer; bytes: Buffer | undefined; at: number; left: number } | undefined

  constructor(dir: string) {
    this.#dir = dir
  }

  /** The number of unanswered requests. */
  get pending(): number {
    return this.#requests.length - this.#answered
  }

  /**
   * Returns an object's type and size, and its content when `maxBytes` is 0 or more; undefined when
   * there is no such object.
   */
  ask(oid: Oid, maxBytes: number): Promise<ObjectAnswer | undefined> {
    return new Promise((resolve, reject) => {
      const line = `${maxBytes < 0 ? 'info' : 'contents'} ${oid}\n`
      if (this.pending === 0) this.#headSince = performance.now()
      this.#requests.push({ line, oid, maxBytes, attempts: 0, resolve, reject })
      this.#send(line)
    })
  }

  /**
   * Kills the process when its oldest request has waited longer than this; the other requests go to
   * a new one.
   */
  endIfStuck(limitMs: number): void {
    if (this.pending === 0 || performance.now() - this.#headSince < limitMs) return
    // Its late answer must not be mistaken for the next one.
    const child = this.#child
    this.#child = undefined
    this.#outgoing = []
    this.#shift()?.reject(new GitError('timeout', 'Reading an object took too long.'))

    if (child) {
      keepAlive(child, false)
      endGroup(child)
    }

    for (const request of this.#requests.slice(this.#answered)) this.#send(request.line)
  }

  /** Ends the process; unanswered requests fail. */
  close(): void {
    const child = this.#child
    this.#child = undefined
    this.#outgoing = []
    child?.stdin.end()
    this.#rejectAll(new GitError('closed', 'The repository was closed.'))
    child?.stdout.destroy()
  }

  #rejectAll(error: Error): void {
    for (let request = this.#shift(); request; request = this.#shift()) request.reject(error)
  }

  #send(line: string): void {
    this.#outgoing.push(line)
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      if (this.#outgoing.length === 0) return

      try {
        this.#child ??= this.#start()
      } catch (error) {
        this.#outgoing = []
        this.#rejectAll(error as Error)
        return
      }

      this.#outgoing.push('flush\n')
      this.#child.stdin.write(this.#outgoing.join(''))
      this.#outgoing = []
      keepAlive(this.#child, true)
    })
  }

  #start(): GitChild {
    const child = spawnGit(this.#dir, ['cat-file', '--batch-command', '--buffer'])
    this.#header = ''
    this.#body = undefined
    child.stdin.on('error', () => {}) // reported by the close event
    child.stderr.resume()
    child.stdout.on('data', (chunk: Buffer) => this.#child === child && this.#read(chunk))
    child.on('error', error => this.#died(child, error))
    child.on('close', () => this.#died(child))

    return child
  }

  #died(child: GitChild, error?: Error): void {
    if (this.#child !== child) return
    this.#child = undefined
    this.#outgoing = []
    const head = this.#requests[this.#answered]
    if (!head) return
    head.attempts++

    if (error || head.attempts > 1)
      this.#shift()?.reject(
        new GitError(
          'object_unreadable',
          'An object cannot be read.',
          { oid: head.oid },
          error?.message,
        ),
      )

    for (const request of this.#requests.slice(this.#answered)) this.#send(request.line)
  }

  #shift(): Request | undefined {
    const request = this.#requests[this.#answered]
    if (!request) return undefined
    this.#answered++
    this.#headSince = performance.now()

    if (this.#answered === this.#requests.length) {
      this.#requests = []
      this.#answered = 0
      if (this.#child) keepAlive(this.#child, false)
    } else if (this.#answered > 1000) {
      this.#requests = this.#requests.slice(this.#answered)
      this.#answered = 0
    }

    return request
  }

  #read(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#body) {
        at += this.#readBody(chunk, at)
        continue
      }

      const end = chunk.indexOf(10, at)
      if (end === -1) {
        this.#header += chunk.toString('latin1', at)
        return
      }

      const header = this.#header + chunk.toString('latin1', at, end)

      this.#header = ''
      at = end + 1
      this.#readHeader(header)
    }
  }

  #readHeader(header: string): void {
    const request = this.#requests[this.#answered]
    const [oid = '', type = '', size = ''] = header.split(' ')
    if (!request || type === 'missing' || type === 'ambiguous') this.#shift()?.resolve(undefined)
    else {
      const answer: ObjectAnswer = { oid: asOid(oid), type: type as ObjectType, size: Number(size) }
      if (request.maxBytes < 0) this.#shift()?.resolve(answer)
      else {
        const wanted = answer.size <= request.maxBytes
        const bytes = wanted ? Buffer.allocUnsafe(answer.size) : undefined
        this.#body = { answer, bytes, at: 0, left: answer.size + 1 }
      }
    }
  }

  /**
   * Consumes the chunk's share of the current content and its closing newline; returns the bytes
   * consumed.
   */
  #readBody(chunk: Buffer, from: number): number {
    const body = this.#body!
    const take = Math.min(body.left, chunk.length - from)
    if (body.bytes) chunk.copy(body.bytes, body.at, from, from + take)
    body.at += take
    body.left -= take

    if (body.left === 0) {
      this.#body = undefined
      this.#shift()?.resolve(body.bytes ? { ...body.answer, content: body.bytes } : body.answer)
    }

    return take
  }
}
