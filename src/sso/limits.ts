/**
 * What a SAML response may be. Responses of identity providers have 30 to 100 elements in about 10
 * KB.
 */
export const limits = {
  /**
   * The longest document, in bytes; also of the assertion in the canonical form that was signed.
   */
  bytes: 256 * 1024,
  depth: 64,
  /** Elements, comments and CDATA sections. */
  elements: 500,
  /** Children of one element. */
  children: 200,
  /** Namespaces that a document declares: each element keeps those that apply to it. */
  namespaces: 100,
  /** The longest SignedInfo, in characters of its canonical form. */
  signedInfo: 4096,
  /** The longest value of a signature in base64: RSA with 16,384 bits. */
  signatureValue: 2732,
} as const

/** The longest id of a person at a provider, in characters; OpenID Connect allows no longer ones. */
export const mostSubject = 255

/**
 * What node-saml may take, in a thread, for a response that a certificate of the provider signed.
 */
export const threadLimits = { ms: 10_000, megabytes: 256 } as const
