import { createHash } from 'node:crypto'
import { bandPackets, flushPacket, maxPacketData, packet } from '../protocol/packets.ts'
import { GitError } from '../values/errors.ts'
import type { Spool } from './spool.ts'

/** The length of a packet in four digits, and its band. */
const headBytes = 5
/** The bytes of a pack in a packet: one byte of its data is the band. */
const dataBytes = maxPacketData - 1
const packetBytes = headBytes + dataBytes
/** Packets that are written at once. */
const atOnce = 8

/**
 * A pack on its way to a spool, in packets of the band of packs. Memory holds those that are
 * written at once.
 */
export class PackOutput {
  readonly #spool: Spool
  readonly #signal: AbortSignal
  readonly #hash = createHash('sha1')
  readonly #packets = Buffer.allocUnsafeSlow(atOnce * packetBytes)
  /** Where the packet begins that is being filled, and how many bytes of the pack it has. */
  #packet = 0
  #filled = 0
  #bytes = 0

  constructor(spool: Spool, signal: AbortSignal) {
    this.#spool = spool
    this.#signal = signal
  }

  /** The number of bytes of the pack so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Begins the answer, and its pack of so many objects. */
  async start(objects: number): Promise<void> {
    await this.#spool.append(packet('packfile\n'))
    const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
    header.writeUInt32BE(objects, 8)
    await this.write(header)
  }

  /**
   * Appends bytes to the pack. They are copied, and must not change before the promise resolves, if
   * there is one. Throws GitError 'aborted', 'no_space'.
   */
  write(bytes: Buffer, from = 0, to = bytes.length): Promise<void> | undefined {
    for (let at = from; at < to; ) {
      if (this.#isFull()) return this.#flush().then(() => this.write(bytes, at, to))
      const room = Math.min(to - at, dataBytes - this.#filled)
      const start = this.#packet + headBytes + this.#filled
      bytes.copy(this.#packets, start, at, at + room)
      at += room
      this.#filled += room
      this.#bytes += room
      if (this.#filled === dataBytes) this.#endPacket()
    }
    return undefined
  }

  /** Ends the pack with its checksum, and the answer. */
  async finish(): Promise<void> {
    if (this.#filled > 0) this.#endPacket()
    await this.#flush()
    await this.#spool.append(Buffer.concat([bandPackets(1, this.#hash.digest()), flushPacket]))
  }

  #isFull(): boolean {
    return this.#packet === this.#packets.length
  }

  #endPacket(): void {
    const start = this.#packet + headBytes
    const length = headBytes + this.#filled
    this.#packets.write(`${length.toString(16).padStart(4, '0')}\x01`, this.#packet, 'latin1')
    this.#hash.update(this.#packets.subarray(start, start + this.#filled))
    this.#packet += length
    this.#filled = 0
  }

  async #flush(): Promise<void> {
    if (this.#signal.aborted) throw new GitError('aborted', 'The work was cancelled.')
    await this.#spool.append(this.#packets.subarray(0, this.#packet))
    this.#packet = 0
  }
}
