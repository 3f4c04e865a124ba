/** Ends a list of packets. */
export const flushPacket: Buffer = Buffer.from('0000')
/** Separates the sections of a version 2 message. */
export const delimPacket: Buffer = Buffer.from('0001')

/** The most bytes of data in one packet. */
export const maxPacketData = 65_516

/** Returns data as one pkt-line. Throws when it is larger than `maxPacketData`. */
export function packet(data: string | Uint8Array): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  if (bytes.length > maxPacketData)
    throw new Error(`A packet of ${bytes.length} bytes is too large.`)
  return Buffer.concat([header(bytes.length), bytes])
}

/**
 * The bands of `side-band-64k`: the payload, texts for people, and the text of an error that ends
 * the transfer.
 */
type Band = 1 | 2 | 3

/** Returns data as packets of a band: as many as it needs, none for no data. */
export function bandPackets(band: Band, data: string | Uint8Array): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += maxPacketData - 1) {
    const part = bytes.subarray(at, at + maxPacketData - 1)
    parts.push(header(part.length + 1), Uint8Array.of(band), part)
  }
  return Buffer.concat(parts)
}

/** Returns the packet that ends a conversation with a text for the user. */
export const errorPacket = (text: string): Buffer => packet(`ERR ${text}`)

const header = (bytes: number): Buffer => Buffer.from((bytes + 4).toString(16).padStart(4, '0'))
