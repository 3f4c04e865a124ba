import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../../errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })
const mostDepth = 64
const mostKeys = 20_000

/**
 * Returns the JSON value of a body; undefined for an empty body. Throws a Fault for anything but
 * clean JSON.
 */
export function jsonBody(headers: IncomingHttpHeaders, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  const type = headers['content-type']?.toLowerCase() ?? ''
  if (!/^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/.test(type)) {
    throw new Fault(
      'unsupported_media_type',
      'Send the body as JSON, with the header "Content-Type: application/json".',
    )
  }

  const charset = /charset="?([^";\s]+)/.exec(type)?.[1]
  if (charset && charset !== 'utf-8' && charset !== 'utf8') {
    throw new Fault('unsupported_media_type', 'Send the body in UTF-8.')
  }
  measure(bytes)
  let value: unknown

  try {
    value = JSON.parse(utf8.decode(bytes)) as unknown
  } catch {
    throw new Fault('malformed_request', 'The body is not valid JSON in UTF-8.')
  }

  inspect(value)

  return value
}

/**
 * Rejects deep nesting and long lists by their bytes, before parsing: as values they would take a
 * hundred times the memory and block the event loop for seconds.
 */
function measure(bytes: Buffer): void {
  let depth = 0
  let values = 0
  let opened = false

  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte <= 0x20) continue

    if (byte === 0x5b || byte === 0x7b) {
      depth++
      values++
      opened = true
      if (depth > mostDepth)
        throw new Fault(
          'malformed_request',
          `The body is nested more than ${mostDepth} levels deep.`,
        )
    } else {
      if (byte === 0x22) at = endOfText(bytes, at + 1)
      else if (byte === 0x2c) values++
      else if (byte === 0x5d || byte === 0x7d) {
        depth--
        if (opened) values--
      }
      opened = false
    }

    if (values > mostKeys)
      throw new Fault('malformed_request', `The body has more than ${mostKeys} values.`)
  }
}

/**
 * Returns the index of the closing quote of a string whose content begins at `start`, or the length
 * of the bytes.
 */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start; ; at++) {
    at = bytes.indexOf(0x22, at)
    if (at === -1) return bytes.length
    let escapes = at
    while (escapes > start && bytes[escapes - 1] === 0x5c) escapes--
    if ((at - escapes) % 2 === 0) return at
  }
}

/**
 * Rejects valid JSON that no client means to send: prototype keys, NUL, broken Unicode, numbers out
 * of range.
 */
function inspect(root: unknown): void {
  const queue: unknown[] = [root]
  while (queue.length > 0) {
    const value = queue.pop()
    if (typeof value === 'string') checkText(value)
    else if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new Fault('malformed_request', 'The body contains a number that is too large.')
    } else if (Array.isArray(value)) {
      for (const item of value) queue.push(item)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (key === '__proto__')
          throw new Fault('malformed_request', 'The key "__proto__" is not allowed in the body.')
        checkText(key)
        queue.push(inner)
      }
    }
  }
}

function checkText(text: string): void {
  if (text.includes('\0'))
    throw new Fault('malformed_request', 'NUL characters are not allowed in the body.')
  if (!text.isWellFormed())
    throw new Fault(
      'malformed_request',
      'The body contains a string that is not well-formed Unicode.',
    )
}
