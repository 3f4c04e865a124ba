import { openSaml, type SamlProvider, type Service } from './saml.ts'

/**
 * Returns the address at the provider that a browser is sent to, with a SAML request of this id
 * (HTTP-Redirect).
 */
export async function startAddress(
  service: Service,
  provider: SamlProvider,
  requestId: string,
): Promise<string> {
  const saml = await openSaml(service, provider, requestId)
  return saml.getAuthorizeUrlAsync(requestId, undefined, {})
}
