import { type Oid, parseOid, zeroOid } from '../../lib/oid.ts'
import { PacketReader, rawTextOf, textOf } from './packet-reader.ts'
import { ProtocolError } from './protocol-error.ts'
import { encodeRaw } from './raw-text.ts'

/**
 * One command of a push, which moves a ref; null means that the ref does not exist. `ref` is
 * decoded with `decodeRaw`, because it need not be UTF-8.
 */
export type PushCommand = { ref: string; from: Oid | null; to: Oid | null }

export type PushRequest = {
  /** In the order in which they came. None: the client only tries its credentials. */
  commands: readonly PushCommand[]
  capabilities: ReadonlySet<string>
  /** The values of `git push -o`, in their order, as texts of `decodeRaw`. */
  options: readonly string[]
}

const controls = /[\x00-\x1f\x7f]/

/**
 * The most commands, bytes of commands, bytes of a name, options, and bytes of options in a
 * request.
 */
const most = {
  commands: 10_000,
  commandBytes: 4 * 1024 * 1024,
  nameBytes: 4096,
  options: 50,
  optionBytes: 64 * 1024,
}

/**
 * Reads the part of a push before its pack, from chunks of the body. Every method throws
 * ProtocolError for a request that is malformed or exceeds a limit.
 */
export class PushRequestReader {
  readonly #reader = new PacketReader()
  readonly #commands: PushCommand[] = []
  readonly #options: string[] = []
  #capabilities: Set<string> | undefined
  #bytes = 0
  #atOptions = false

  /**
   * Adds bytes; returns the request once it is complete, with the bytes after it: the begin of the
   * pack.
   */
  read(chunk: Buffer): { request: PushRequest; rest: Buffer } | undefined {
    this.#reader.push(chunk)

    for (let packet = this.#reader.next(); packet; packet = this.#reader.next()) {
      if (packet.kind === 'data') this.#line(packet.data)
      else if (packet.kind !== 'flush') throw new ProtocolError('A push holds no such packet.')
      else if (this.#atOptions || !this.#capabilities?.has('push-options')) return this.#complete()
      else {
        this.#atOptions = true
        this.#bytes = 0
      }
    }

    return undefined
  }

  #complete(): { request: PushRequest; rest: Buffer } {
    const request = {
      commands: this.#commands,
      capabilities: this.#capabilities ?? new Set<string>(),
      options: this.#options,
    }
    return { request, rest: this.#reader.rest() }
  }

  #line(data: Buffer): void {
    this.#bytes += data.length
    if (this.#atOptions) this.#option(data)
    else this.#command(data)
  }

  #option(data: Buffer): void {
    if (this.#options.length >= most.options || this.#bytes > most.optionBytes)
      throw new ProtocolError(`A push takes at most ${most.options} options of 64 kB in all.`)
    this.#options.push(rawTextOf(data))
  }

  #command(data: Buffer): void {
    if (this.#commands.length >= most.commands || this.#bytes > most.commandBytes)
      throw new ProtocolError('A push takes at most 10,000 commands of 4 MB in all.')
    const line = this.#withoutCapabilities(data)
    if (/^shallow [0-9a-f]{40}$/.test(line)) return // what a push leads to is checked without the client's word

    const [, before = '', after = '', ref = ''] =
      /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+)$/s.exec(line) ?? []
    const [from, to] = [parseOid(before), parseOid(after)]
    if (!from || !to) throw new ProtocolError('A line of the push is not a command.')
    if (controls.test(ref))
      throw new ProtocolError('The name of a ref contains a control character.')

    // The report repeats the name, with a reason, in one packet.
    if (encodeRaw(ref).length > most.nameBytes)
      throw new ProtocolError('The name of a ref has more than 4,096 bytes.')
    this.#commands.push({
      ref,
      from: from === zeroOid ? null : from,
      to: to === zeroOid ? null : to,
    })
  }

  /** Capabilities follow a NUL on the first line, which may be a `shallow` line. */
  #withoutCapabilities(data: Buffer): string {
    const zero = data.indexOf(0)
    if (zero === -1) {
      this.#capabilities ??= new Set()
      return rawTextOf(data)
    }

    if (this.#capabilities?.size) throw new ProtocolError('A push names its capabilities once.')

    const words = textOf(data.subarray(zero + 1))
    if (controls.test(words)) throw new ProtocolError('A capability contains a control character.')
    this.#capabilities = new Set(words.split(' ').filter(Boolean))

    for (const word of this.#capabilities) {
      if (word.startsWith('object-format=') && word !== 'object-format=sha1')
        throw new ProtocolError('The object format of this repository is sha1.')
      if (word.startsWith('push-cert')) throw new ProtocolError('Signed pushes are not supported.')
    }

    return rawTextOf(data.subarray(0, zero))
  }
}
