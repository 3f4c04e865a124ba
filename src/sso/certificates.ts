import { X509Certificate } from 'node:crypto'

const block = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+?)-----END CERTIFICATE-----/g
const leastBits = 2048

/** The certificates of a text, in PEM; or what is wrong with the text, as a sentence. */
type ReadCertificates = { pems: string[] } | { problem: string }

/**
 * Reads certificates in PEM, one after the other, or a single one as bare base64. Expired ones are
 * accepted.
 */
export function readCertificates(text: string): ReadCertificates {
  if (/PRIVATE KEY/.test(text))
    return {
      problem:
        'contains a private key, which was not stored. Paste the certificate, and replace the key if others saw it',
    }

  const rest = text.replace(block, '').trim()
  const bodies = [...text.matchAll(block)].map(([, body = '']) => body)
  if (rest !== '' && bodies.length > 0)
    return { problem: 'takes certificates in PEM and nothing else' }

  const pems: string[] = []

  for (const body of bodies.length > 0 ? bodies : [rest]) {
    const pem = pemOf(body)
    const problem =
      pem === undefined ? 'takes an X.509 certificate in PEM or base64' : problemOf(pem)
    if (pem === undefined || problem !== undefined) return { problem: problem as string }
    pems.push(pem)
  }

  return { pems }
}

function pemOf(body: string): string | undefined {
  const base64 = body.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  const lines = base64.match(/.{1,64}/g)?.join('\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

function problemOf(pem: string): string | undefined {
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails } = new X509Certificate(pem).publicKey
    if (type !== 'rsa') return `takes a certificate with an RSA key; this one has the type ${type}`
    if ((asymmetricKeyDetails?.modulusLength ?? 0) < leastBits)
      return `takes a certificate whose RSA key has at least ${leastBits} bits`
    return undefined
  } catch {
    return 'takes an X.509 certificate in PEM or base64'
  }
}
