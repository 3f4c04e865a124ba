import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'

/**
 * The age file format (age-encryption.org/v1) with a passphrase as its one recipient: "age -d"
 * opens files written here. The payload is a stream of individually authenticated chunks; the last
 * one is marked, so truncation is detected.
 */
const version = 'age-encryption.org/v1'
const pieceBytes = 64 * 1024
const tagBytes = 16
const nonceBytes = 16
/** The scrypt cost as a power of two: 128 MB of memory and half a second. */
const cost = 17
/** The lowest cost that scrypt has, and the highest one accepted from a file: 1 GB of memory. */
const [leastCost, mostCost] = [1, 20]
/** The longest accepted header; one with a passphrase has 200 bytes. */
const mostHeader = 1_024

/**
 * A file that cannot be decrypted: damaged, tampered with, or encrypted with another passphrase.
 */
export class AgeError extends Error {}

/** Returns whether bytes are the start of an encrypted file. */
export const isAge = (start: Uint8Array): boolean =>
  Buffer.from(start).toString('latin1').startsWith(`${version}\n`)

/**
 * Encrypts a stream with a passphrase, chunk by chunk. `power` is the scrypt cost as a power of
 * two.
 */
export async function* encryptAge(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
  power = cost,
): AsyncGenerator<Buffer, void, undefined> {
  const [fileKey, salt, nonce] = [randomBytes(16), randomBytes(16), randomBytes(nonceBytes)]
  const wrapped = crypt(
    'seal',
    await wrappingKey(passphrase, salt, power),
    Buffer.alloc(12),
    fileKey,
  )
  const header = `${version}\n-> scrypt ${text(salt)} ${power}\n${text(wrapped)}\n---`
  yield Buffer.concat([Buffer.from(`${header} ${text(macOf(fileKey, header))}\n`), nonce])
  const key = derive(fileKey, nonce, 'payload')
  let index = 0

  for await (const { piece, last } of piecesOf(source, pieceBytes))
    yield crypt('seal', key, nonceOf(index++, last), piece)
}

/**
 * Decrypts a stream written by `encryptAge` or "age -p". Throws AgeError; output yielded before the
 * error must not be used.
 */
export async function* decryptAge(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Buffer, void, undefined> {
  const reader = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const atLeast = async (bytes: number) => {
    while (held.length < bytes) {
      const next = await reader.next()
      if (next.done) throw new AgeError('it is truncated')
      held = Buffer.concat([held, next.value])
    }
  }
  let end = -1

  while (end < 0) {
    await atLeast(held.length + 1)
    const mac = held.indexOf('\n--- ')
    end = mac < 0 ? -1 : held.indexOf('\n', mac + 1)
    if (end < 0 && held.length > mostHeader) throw new AgeError('its header is malformed')
  }

  const fileKey = await openHeader(held.subarray(0, end).toString('latin1'), passphrase)

  await atLeast(end + 1 + nonceBytes)
  const key = derive(fileKey, held.subarray(end + 1, end + 1 + nonceBytes), 'payload')
  const rest = { [Symbol.asyncIterator]: () => reader }
  let index = 0
  const payload = joined(held.subarray(end + 1 + nonceBytes), rest)

  for await (const { piece, last } of piecesOf(payload, pieceBytes + tagBytes)) {
    if (piece.length < tagBytes || (last && index > 0 && piece.length === tagBytes))
      throw new AgeError('it is truncated')
    yield crypt('open', key, nonceOf(index++, last), piece)
  }
}

async function openHeader(header: string, passphrase: string): Promise<Buffer> {
  const pattern =
    /^(age-encryption\.org\/v1\n-> scrypt ([\w+/]{22}) (\d\d?)\n([\w+/]{43})\n---) ([\w+/]{43})$/
  const [, signed, salt, power, wrapped, mac] = pattern.exec(header) ?? []
  const isUsable = Number(power) >= leastCost && Number(power) <= mostCost
  if (!signed || !salt || !wrapped || !mac || !isUsable)
    throw new AgeError('it was not encrypted with a passphrase')

  const key = await wrappingKey(passphrase, Buffer.from(salt, 'base64'), Number(power))
  let fileKey: Buffer

  try {
    fileKey = crypt('open', key, Buffer.alloc(12), Buffer.from(wrapped, 'base64'))
  } catch {
    throw new AgeError('the passphrase is wrong')
  }

  if (!timingSafeEqual(macOf(fileKey, signed), Buffer.from(mac, 'base64')))
    throw new AgeError('its header was modified')

  return fileKey
}

async function* joined(first: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

/**
 * Yields chunks of exactly this size, then the rest, which is empty only when the source is empty.
 */
async function* piecesOf(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ piece: Buffer; last: boolean }> {
  let parts: Uint8Array[] = []
  let held = 0
  for await (const part of source) {
    parts.push(part)
    held += part.length
    if (held <= size) continue

    const all = Buffer.concat(parts, held)
    let at = 0

    // A full chunk is the last one when nothing follows.
    for (; all.length - at > size; at += size)
      yield { piece: all.subarray(at, at + size), last: false }
    parts = [all.subarray(at)]
    held = all.length - at
  }

  yield { piece: Buffer.concat(parts, held), last: true }
}

function crypt(mode: 'seal' | 'open', key: Buffer, nonce: Buffer, bytes: Buffer): Buffer {
  const options = { authTagLength: tagBytes }
  if (mode === 'seal') {
    const cipher = createCipheriv('chacha20-poly1305', key, nonce, options)
    return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }

  const decipher = createDecipheriv('chacha20-poly1305', key, nonce, options)
  decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes))

  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(0, bytes.length - tagBytes)),
      decipher.final(),
    ])
  } catch {
    throw new AgeError('it is damaged')
  }
}

/** Returns the nonce of a chunk: its number in eleven bytes, then whether it is the last one. */
function nonceOf(index: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(index, 5, 6)
  nonce[11] = last ? 1 : 0
  return nonce
}

const derive = (key: Buffer, salt: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, purpose, 32))

const macOf = (fileKey: Buffer, header: string): Buffer =>
  createHmac('sha256', derive(fileKey, Buffer.alloc(0), 'header'))
    .update(header)
    .digest()

const wrappingKey = (passphrase: string, salt: Buffer, power: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { N: 2 ** power, r: 8, p: 1, maxmem: 2 ** power * 1024 + 2 ** 20 }
    const all = Buffer.concat([Buffer.from(`${version}/scrypt`), salt])
    scrypt(passphrase, all, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })

const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
