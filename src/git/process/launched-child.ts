import { EventEmitter } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'

/** The length of what is written to each connection: the number of the launch and of the stream. */
const headerBytes = 16

/** What the launcher says of a program. */
export type LaunchEvent = {
  pid?: number
  error?: string
  code?: number | null
  signal?: NodeJS.Signals | null
}

/** `changed` is called when `isAwaited` changes, `failed` when the launcher cannot be reached. */
type LaunchListener = { changed: () => void; failed: (error: string) => void }

/** A program that the launcher starts, with the interface of Node's ChildProcess. */
export class LaunchedChild extends EventEmitter {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  pid: number | undefined
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  /** Whether Node waits for it. */
  isAwaited = true
  readonly #sockets: readonly Socket[]
  readonly #on: LaunchListener
  #input: Socket
  #open: number
  #ended = false
  #closed = false

  /**
   * Connects the streams of launch `id` to the socket at `path`: not stdout where it goes to a
   * file, `output`.
   */
  constructor(
    { path, id, output }: { path: string; id: number; output?: string | undefined },
    on: LaunchListener,
  ) {
    super()
    this.#on = on
    const open = (stream: number) => {
      const socket = connect({ path, allowHalfOpen: true })
      socket.write(`${id} ${stream}`.padEnd(headerBytes))
      socket.on('error', error => {
        // Afterwards, the events of the child say how it ends.
        if (this.pid === undefined && !this.#ended) on.failed(String(error))
      })
      return socket
    }
    const [stdin, stdout, stderr] = [open(0), output === undefined ? open(1) : undefined, open(2)]
    const outputs = stdout ? [stdout, stderr] : [stderr]

    this.#sockets = [stdin, ...outputs]
    this.#open = outputs.length
    this.#input = stdin
    this.stdin = this.#makeInput(stdin)
    this.stdout = stdout ?? Readable.from([])
    this.stderr = stderr

    for (const each of outputs) {
      each.once('end', () => each.destroy())
      each.once('close', () => {
        this.#open--
        this.#closeWhenDone()
      })
    }
  }

  /** Takes what the launcher says of this program. */
  take({ pid, error, code = null, signal = null }: LaunchEvent): void {
    if (pid !== undefined) {
      this.pid = pid
      this.emit('spawn')
      return
    }

    this.#ended = true
    this.exitCode = error === undefined ? code : -1
    this.signalCode = signal

    if (error === undefined) this.emit('exit', code, signal)
    else {
      this.emit('error', new Error(error))
      for (const socket of this.#sockets) socket.destroy()
    }

    this.#input.destroy()

    // As Node does: output that is not read must not keep the child from closing.
    for (const each of [this.stdout, this.stderr]) each.resume()
    this.#closeWhenDone()
  }

  ref(): void {
    this.isAwaited = true
    this.#on.changed()
  }

  unref(): void {
    this.isAwaited = false
    this.#on.changed()
  }

  /** Makes stdin: the launcher would read what came before the program runs. */
  #makeInput(socket: Socket): Writable {
    const started = (work: () => void) => {
      if (this.pid !== undefined || this.#ended) work()
      else this.once('spawn', work)
    }

    const input = new Writable({
      write: (chunk, _encoding, done) => started(() => socket.write(chunk, done)),
      final: done => started(() => socket.end(done)),
      destroy: (error, done) => {
        socket.destroy()
        done(error)
      },
    })

    socket.on('error', error => input.destroy(error))

    // The program never writes here: the end means that it has closed its input.
    socket.resume()
    socket.once('close', () => input.destroy())

    return Object.assign(input, { ref: () => socket.ref(), unref: () => socket.unref() })
  }

  #closeWhenDone(): void {
    if (this.#closed || !this.#ended || this.#open > 0) return
    this.#closed = true
    this.emit('close', this.exitCode === -1 ? null : this.exitCode, this.signalCode)
  }
}
