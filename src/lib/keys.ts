import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/**
 * Keys derived from one secret: signatures for values that leave the server and return, and
 * encryption.
 */
export type Keys = {
  /** Returns a signature of 22 base64url characters, for one purpose. */
  sign: (purpose: string, text: string) => string
  /** Returns whether `sign` returns this signature with one of the secrets, in constant time. */
  verify: (purpose: string, text: string, signature: string) => boolean
  /**
   * Returns the whole HMAC-SHA256 of a text, as base64url, for one purpose: the signature of a JWT
   * with HS256.
   */
  mac: (purpose: string, text: string) => string
  /** Returns whether `mac` returns this text with one of the secrets, in constant time. */
  verifyMac: (purpose: string, text: string, mac: string) => boolean
  /**
   * Returns the text encrypted and authenticated for one purpose (AES-256-GCM), as a version and
   * base64url.
   */
  seal: (purpose: string, text: string) => string
  /**
   * Returns the decrypted text. Throws unless it was sealed for the purpose, with one of the
   * secrets.
   */
  open: (purpose: string, sealed: string) => string
  /**
   * Returns the decrypted text of the first version, which had no purpose. Only what replaces such
   * texts may call this.
   */
  openFirst: (sealed: string) => string
}

/** The file of a data folder with the secret that a rotation changes to. It exists only during a rotation. */
export const nextKeyName = 'key.next'

/** The bytes of a secret. */
export const secretBytes = 32
/** How many secrets a server may have: the first one seals, all open. */
const mostSecrets = 3

/** Returns whether a file of this size can hold secrets, one after the other. */
export const mayHoldSecrets = (bytes: number): boolean =>
  bytes > 0 && bytes % secretBytes === 0 && bytes <= mostSecrets * secretBytes

/** Returns the secrets in the bytes of a file; undefined if their number does not fit. */
export const secretsIn = (bytes: Buffer): Buffer[] | undefined =>
  mayHoldSecrets(bytes.length)
    ? Array.from({ length: bytes.length / secretBytes }, (_, at) =>
        bytes.subarray(at * secretBytes, (at + 1) * secretBytes),
      )
    : undefined

/**
 * Returns the secrets in a list of texts in base64, each of one secret or of the file `key` of a folder, which may have
 * several; undefined for other texts.
 */
export function secretsInBase64(texts: readonly string[]): Buffer[] | undefined {
  const files = texts.map(text => Buffer.from(text, 'base64'))
  const isWhole = (file: Buffer, at: number) =>
    mayHoldSecrets(file.length) && file.toString('base64') === texts[at]
  return files.every(isWhole) ? secretsIn(Buffer.concat(files)) : undefined
}

/**
 * Returns the keys derived from a 32-byte secret; what was sealed or signed with one of `others` is
 * accepted too.
 */
export function keysFrom(secret: Uint8Array, others: readonly Uint8Array[] = []): Keys {
  const secrets = [secret, ...others].map(derivationsOf)
  const [first] = secrets as [Derivations, ...Derivations[]]
  const openings = secrets.map(({ sealing }) => sealing)
  const digest = ({ signing }: Derivations, purpose: string, text: string) =>
    createHmac('sha256', signing(purpose)).update(text).digest()
  const signWith = (derived: Derivations, purpose: string, text: string) =>
    digest(derived, purpose, text).subarray(0, 16).toString('base64url')
  const macWith = (derived: Derivations, purpose: string, text: string) =>
    digest(derived, purpose, text).toString('base64url')

  return {
    sign: (purpose, text) => signWith(first, purpose, text),
    verify: (purpose, text, signature) =>
      secrets.some(derived => isSame(signWith(derived, purpose, text), signature)),
    mac: (purpose, text) => macWith(first, purpose, text),
    verifyMac: (purpose, text, given) =>
      secrets.some(derived => isSame(macWith(derived, purpose, text), given)),
    seal: (purpose, text) => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', first.sealing, nonce)
      cipher.setAAD(purposeBytes(purpose))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return sealVersion + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open: (purpose, sealed) => {
      if (!sealed.startsWith(sealVersion)) throw new Error('The text was not sealed for a purpose.')
      return unsealWith(openings, sealed.slice(sealVersion.length), purposeBytes(purpose))
    },
    openFirst: sealed => unsealWith(openings, sealed, noPurpose),
  }
}

/** The keys that are derived from one secret. */
type Derivations = { sealing: Buffer; signing: (purpose: string) => Buffer }

function derivationsOf(secret: Uint8Array): Derivations {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', secret, '', `stemma ${purpose}`, 32))
  const known = new Map<string, Buffer>()

  return {
    sealing: derive('seal'),
    signing: purpose => {
      const key = known.get(purpose) ?? derive(`sign ${purpose}`)
      known.set(purpose, key)
      return key
    },
  }
}

/**
 * What sealed texts begin with. The first version had nothing in its place; base64url has no dot.
 */
export const sealVersion = 'v2.'

const noPurpose = Buffer.alloc(0)
const purposeBytes = (purpose: string): Buffer => Buffer.from(`stemma seal ${purpose}`, 'utf8')

/** Returns whether a text that is sealed for a purpose opens. */
export function opens(keys: Keys, purpose: string, sealed: string): boolean {
  try {
    keys.open(purpose, sealed)
    return true
  } catch {
    return false
  }
}

/** Compares two texts in constant time. */
function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Decrypts a text with the first key that fits. */
function unsealWith(keys: readonly Buffer[], sealed: string, purpose: Buffer): string {
  const bytes = Buffer.from(sealed, 'base64url')
  for (const [at, key] of keys.entries()) {
    try {
      return unseal(bytes, key, purpose)
    } catch (error) {
      if (at === keys.length - 1) throw error
    }
  }

  throw new Error('No key is available.')
}

function unseal(bytes: Buffer, key: Buffer, purpose: Buffer): string {
  // Without the length, Node accepts tags of four bytes.
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), {
    authTagLength: 16,
  })
  decipher.setAAD(purpose)
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}
