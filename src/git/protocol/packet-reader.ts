import { ProtocolError } from './protocol-error.ts'
import { decodeRaw, isUtf8 } from './raw-text.ts'

export type Packet = { kind: 'data'; data: Buffer } | { kind: 'flush' | 'delim' | 'end' }

const special: Record<string, Packet> = {
  '0000': { kind: 'flush' },
  '0001': { kind: 'delim' },
  '0002': { kind: 'end' },
}

/**
 * Reads pkt-lines from chunks of bytes, which may break anywhere. It keeps at most one incomplete
 * packet.
 */
export class PacketReader {
  #chunks: Buffer[] = []
  #bytes = 0

  /** Adds bytes. */
  push(chunk: Buffer): void {
    if (chunk.length === 0) return
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
  }

  /**
   * Returns the next packet; undefined until all its bytes are there. Throws ProtocolError for an
   * invalid length.
   */
  next(): Packet | undefined {
    if (this.#bytes < 4) return undefined
    const length = this.#first(4).toString('latin1', 0, 4)
    const known = special[length]

    if (known) {
      this.#take(4)
      return known
    }

    const size = /^[0-9a-fA-F]{4}$/.test(length) ? Number.parseInt(length, 16) : 0
    if (size < 4 || size > 65_520) throw new ProtocolError('A packet has an invalid length.')
    if (this.#bytes < size) return undefined

    return { kind: 'data', data: this.#take(size).subarray(4) }
  }

  /** Returns the bytes that are not read yet, and forgets them. */
  rest(): Buffer {
    return this.#take(this.#bytes)
  }

  /** Returns the first chunk, joined with the following ones until it has this many bytes. */
  #first(bytes: number): Buffer {
    if (this.#chunks[0] !== undefined && this.#chunks[0].length >= bytes) return this.#chunks[0]
    const whole = Buffer.concat(this.#chunks)
    this.#chunks = [whole]
    return whole
  }

  #take(bytes: number): Buffer {
    if (bytes === 0) return Buffer.alloc(0)
    const first = this.#first(bytes)
    this.#bytes -= bytes
    if (first.length === bytes) this.#chunks.shift()
    else this.#chunks[0] = first.subarray(bytes)
    return first.subarray(0, bytes)
  }
}

/** Returns the packets of a complete message. Throws ProtocolError when it ends inside a packet. */
export function* packetsOf(message: Buffer): Generator<Packet, void, undefined> {
  const reader = new PacketReader()
  reader.push(message)
  for (let packet = reader.next(); packet; packet = reader.next()) yield packet
  if (reader.rest().length > 0) throw new ProtocolError('The message ends inside a packet.')
}

/** Returns the text of a packet without its newline. Throws ProtocolError unless it is UTF-8. */
export function textOf(data: Buffer): string {
  const text = rawTextOf(data)
  if (!isUtf8(text)) throw new ProtocolError('A packet is not UTF-8.')
  return text
}

/** Returns the bytes of a packet without its newline as text, like `decodeRaw`. */
export const rawTextOf = (data: Buffer): string =>
  decodeRaw(data.at(-1) === 10 ? data.subarray(0, -1) : data)
