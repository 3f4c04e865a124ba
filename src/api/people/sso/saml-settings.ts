import { X509Certificate } from 'node:crypto'
import type { z } from 'zod'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { readCertificates } from '../../../sso/certificates.ts'
import type { SsoProviderRow } from '../../../store/tables/rows.ts'
import type { SamlProviderPatch } from './schema.ts'

type Settings = Pick<SsoProviderRow, 'issuer' | 'sso_url' | 'certificate' | 'email_from'>

const none: Settings = { issuer: '', sso_url: '', certificate: '', email_from: null }

/**
 * Returns the columns of a body of a SAML provider. Throws 'invalid' for a certificate or address
 * that cannot be used.
 */
export function samlColumns(
  ctx: Context,
  body: z.output<typeof SamlProviderPatch>,
  before: Settings = none,
): Settings & { active: number } {
  const set = {
    issuer: body.entityID ?? before.issuer,
    sso_url: body.ssoURL === undefined ? before.sso_url : addressOf(ctx, body.ssoURL),
    certificate:
      body.certificate === undefined ? before.certificate : certificateOf(ctx, body.certificate),
    email_from: body.emailAttribute === undefined ? before.email_from : body.emailAttribute,
  }
  const isWhole = set.issuer !== '' && set.sso_url !== '' && set.certificate !== ''
  return { ...set, active: Number(isWhole) }
}

/**
 * Returns the address where sign-ins start: https, or http on a server that may reach private
 * addresses.
 */
function addressOf(ctx: Context, text: string): string {
  // The API shows it for a provider without an address.
  if (text === 'about:blank') return ''
  const url = new URL(text)
  const mayBePlain = ctx.config.allowPrivateRemotes && url.protocol === 'http:'
  if ((url.protocol !== 'https:' && !mayBePlain) || url.username !== '' || url.password !== '')
    throw invalid('"ssoURL" in the body: takes an https URL without credentials.')

  if (url.origin === new URL(ctx.publicUrl()).origin)
    throw invalid(
      '"ssoURL" in the body: takes an address of the identity provider, not of this server.',
    )

  return url.href
}

function certificateOf(ctx: Context, text: string): string {
  const given = text.trim()
  if (given === '') return ''
  const read = readCertificates(given)
  if ('problem' in read) throw invalid(`"certificate" in the body: ${read.problem}.`)

  const now = ctx.now()

  for (const pem of read.pems) {
    const { validTo, fingerprint256 } = new X509Certificate(pem)
    if (new Date(validTo) < now)
      ctx.log.warn(
        { fingerprint256, validTo },
        'the certificate of an identity provider has expired',
      )
  }

  return given
}
