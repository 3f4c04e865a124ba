import { openSaml, type SamlProvider, type Service } from './saml.ts'

/** A response in base64, and the provider whose certificates must have signed it. */
export type ToVerify = { base64: string; service: Service; provider: SamlProvider }

/** The assertion as it was signed; or the kind of problem, which holds nothing of the document. */
export type Verified = { bytes: string; problem?: never } | { bytes?: never; problem: string }

/** Returns the assertion of a response as a certificate of the provider signed it. */
export async function signedAssertion({ base64, service, provider }: ToVerify): Promise<Verified> {
  try {
    const saml = await openSaml(service, provider)
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: base64 })
    const bytes = profile?.getAssertionXml?.()
    return bytes === undefined ? { problem: 'nothing signed' } : { bytes }
  } catch (error) {
    // The message may repeat parts of the document.
    return { problem: error instanceof Error ? error.name : 'unknown' }
  }
}
