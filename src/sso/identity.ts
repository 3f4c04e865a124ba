import { normalize } from '../lib/normalize.ts'
/** A person as a provider confirmed them. */
export type ProvenIdentity = {
  /** What the provider calls the person. */
  subject: string
  /** In lower case. */
  email: string
  displayName?: string
  /** When the provider ends the session, ISO 8601. */
  sessionEndsAt?: string
}

/** Letters outside ASCII are refused: two addresses that look alike must not be one. */
const email =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/** Returns an e-mail address in lower case; undefined for any other text. */
export function emailOf(text: string): string | undefined {
  const trimmed = text.trim()
  // Not `toLowerCase` alone: it turns some letters outside ASCII into letters of ASCII.
  const lower = /^[\x21-\x7e]{3,254}$/.test(trimmed) ? trimmed.toLowerCase() : ''
  return email.test(lower) ? lower : undefined
}

/** Returns a name on one line of at most 64 characters; undefined if nothing is left. */
export function nameOf(text: string): string | undefined {
  const line = normalize('NFC', text)
    .replace(
      /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2028\u2029<>]/gu,
      ' ',
    )
    .replace(/\s+/g, ' ')
    .trim()
  return [...line].slice(0, 64).join('').trim() || undefined
}
