import { limits } from './limits.ts'
import { Refused } from './reasons.ts'
import { type Element, parseXml } from './xml.ts'

/** A SAML response as it was sent: nothing in it is believed. */
export type SentResponse = {
  base64: string
  root: Element
  /** The request that it claims to answer; undefined: it answers none. */
  inResponseTo: string | undefined
}

/** Returns a SAML response in base64 as a tree. Throws Refused with 'form' or 'document'. */
export function readResponse(base64: string): SentResponse {
  const clean = base64.replace(/[\r\n\t ]+/g, '')
  if (clean.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(clean)) throw new Refused('form')
  const bytes = Buffer.from(clean, 'base64')
  if (bytes.length > limits.bytes) throw new Refused('form')
  const root = parseXml(textOf(bytes))
  return { base64: clean, root, inResponseTo: root.attributes.get('InResponseTo') }
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Refused('document')
  }
}
