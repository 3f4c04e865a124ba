import { Fault } from '../../errors.ts'

/** The maximum ratio of decompressed to sent bytes, beyond the first `ratioFrom` bytes. */
const mostRatio = 100
const ratioFrom = 64 * 1024

/** Returns whether a body has more decompressed bytes than the sent ones may stand for. */
export const isTooDense = (sent: number, decompressed: number): boolean =>
  decompressed > ratioFrom + sent * mostRatio

/** Returns the fault for a body that is too dense. */
export const tooDense = (): Fault =>
  new Fault(
    'too_large',
    `The body is too large: decompressed, it is more than ${mostRatio} times its size. Send it uncompressed.`,
    undefined,
    { label: 'body_ratio' },
  )
