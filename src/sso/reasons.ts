/** Every reason to refuse what a provider sent, with the sentence that the person sees. */
const sentences = {
  form: [400, 'The identity provider sent an incomplete form. Start the sign-in again.'],
  document: [400, 'The identity provider sent a document that cannot be read.'],
  structure: [400, 'The response of the identity provider must contain exactly one assertion.'],
  work: [
    400,
    'The response of the identity provider takes too long to check. Its admin must make it smaller.',
  ],
  encrypted: [
    400,
    'The identity provider encrypts assertions. Its admin must switch encryption off.',
  ],
  request: [400, 'This sign-in has expired or was started in another browser. Start it again.'],
  algorithm: [403, 'The identity provider must sign with RSA and SHA-256 or SHA-512.'],
  signature: [403, 'The response of the identity provider is not signed with its certificate.'],
  issuer: [403, 'The response comes from another identity provider than the one that is set up.'],
  status: [403, 'The identity provider did not sign you in.'],
  confirmation: [403, 'The response of the identity provider is not meant for this sign-in.'],
  conditions: [403, 'The response of the identity provider is not valid at this time.'],
  audience: [403, 'The response of the identity provider is meant for another service.'],
  address: [
    403,
    'The identity provider did not send your e-mail address. An admin of the organization can set where it is sent.',
  ],
  session: [403, 'Your session at the identity provider has ended. Sign in again.'],
  provider: [
    403,
    'The identity provider could not be reached, or sent an unusable answer. Try again later.',
  ],
  state: [
    403,
    'The answer of the identity provider does not belong to this sign-in. Start it again.',
  ],
  unverified: [403, 'The identity provider has not verified your e-mail address.'],
} as const satisfies Record<string, readonly [400 | 403, string]>

type RefusalReason = keyof typeof sentences

/**
 * Thrown for what a provider sent. `detail` is for the log of the operator, and never the document.
 */
export class Refused extends Error {
  readonly reason: RefusalReason
  readonly status: 400 | 403
  readonly detail: string | undefined
  constructor(reason: RefusalReason, detail?: string) {
    super(sentences[reason][1])
    this.name = 'Refused'
    this.reason = reason
    this.status = sentences[reason][0]
    this.detail = detail
  }
}
