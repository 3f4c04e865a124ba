/**
 * Bytes that are not Git's protocol, or exceed its limits: the sender gets 400, or 413 for
 * 'too_large'.
 */
export class ProtocolError extends Error {
  readonly code: 'malformed' | 'too_large'

  constructor(message: string, code: 'malformed' | 'too_large' = 'malformed') {
    super(message)
    this.name = 'ProtocolError'
    this.code = code
  }
}

/**
 * A well-formed request that is not served: the sender gets its message in an `ERR` packet, with
 * status 200.
 */
export class ProtocolRefusal extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProtocolRefusal'
  }
}
