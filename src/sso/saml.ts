import type { Profile, SAML } from '@node-saml/node-saml'

/** The namespaces of SAML. */
export const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const assertionNamespace = 'urn:oasis:names:tc:SAML:2.0:assertion'
/** The namespace of XML signatures. */
export const signatures = 'http://www.w3.org/2000/09/xmldsig#'

export const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

/** The addresses of this service at a provider. */
export type Service = { entityID: string; acsURL: string }

/** A provider as it is set up. */
export type SamlProvider = {
  /** How it calls itself. */
  issuer: string
  /** Where sign-ins start. */
  ssoURL: string
  /** In PEM. */
  certificates: readonly string[]
  /** The attribute with the e-mail address; null: the name ID, or a usual attribute. */
  emailAttribute: string | null
}

/**
 * Returns node-saml for a provider. It is loaded at the first use, as most servers never need it.
 * It only verifies signatures here: `check-response.ts` checks everything else, with the time and
 * the request of its caller.
 */
export async function openSaml(
  { entityID, acsURL }: Service,
  { ssoURL, certificates, emailAttribute }: SamlProvider,
  requestId = '',
): Promise<SAML> {
  // A bundle of the package has no other export than the default one.
  const { default: nodeSaml } = await import('@node-saml/node-saml')
  const { SAML: Saml, ValidateInResponseTo } = nodeSaml
  // Returns the signed assertion before any of it is interpreted.
  class Verifier extends Saml {
    protected override async processValidlySignedAssertionAsync(xml: string) {
      return { profile: { getAssertionXml: () => xml } as Profile, loggedOut: false }
    }
  }

  return new Verifier({
    callbackUrl: acsURL,
    issuer: entityID,
    entryPoint: ssoURL,
    idpCert: [...certificates],
    validateInResponseTo: ValidateInResponseTo.never,
    // One of the two must be signed, and only what is signed is read.
    wantAssertionsSigned: false,
    wantAuthnResponseSigned: false,
    // By default it asks for a sign-in with a password, which a second factor does not satisfy.
    disableRequestedAuthnContext: true,
    // ADFS refuses a request for a format that it is not set up to send.
    identifierFormat: emailAttribute === null ? emailFormat : null,
    signatureAlgorithm: 'sha256',
    generateUniqueId: () => requestId,
  })
}
