import type { Request } from 'express'
import express from 'express'
import { Fault } from '../errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })
const mostDepth = 64
const mostKeys = 20_000

/** Reads a body of up to `limit` bytes into `req.body`, as it came (decompressed). */
export const readBytes = (limit: number) => express.raw({ type: () => true, limit })

/** The JSON value of the body that `readBytes` read; undefined when there is none. Throws a Fault on anything that is not clean JSON. */
export function jsonBody(req: Request): unknown {
  const bytes: unknown = req.body
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined
  const type = req.headers['content-type']?.toLowerCase() ?? ''
  if (!/^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/.test(type)) {
    throw new Fault(
      'unsupported_type',
      'Send the body as JSON, with the header "Content-Type: application/json".',
    )
  }
  const charset = /charset="?([^";\s]+)/.exec(type)?.[1]
  if (charset && charset !== 'utf-8' && charset !== 'utf8') {
    throw new Fault('unsupported_type', 'Send the body in UTF-8.')
  }
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch {
    throw new Fault('invalid', 'The body is not valid JSON in UTF-8.')
  }
  inspect(value)
  return value
}

/** Refuses what JSON allows and nobody means: endless nesting, prototype keys, NUL, broken Unicode, numbers too large to hold. */
function inspect(root: unknown): void {
  const queue: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }]
  let keys = 0
  for (let item = queue.pop(); item; item = queue.pop()) {
    const { value, depth } = item
    if (typeof value === 'string') checkText(value)
    else if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new Fault('invalid', 'The body has a number that is too large.')
    } else if (typeof value === 'object' && value !== null) {
      if (depth > mostDepth)
        throw new Fault('invalid', `The body is nested more than ${mostDepth} levels deep.`)
      for (const [key, inner] of Object.entries(value)) {
        keys += 1
        if (key === '__proto__')
          throw new Fault('invalid', 'The body has a key "__proto__", which is not taken.')
        if (!Array.isArray(value)) checkText(key)
        queue.push({ value: inner, depth: depth + 1 })
      }
      if (keys > mostKeys) throw new Fault('invalid', `The body has more than ${mostKeys} values.`)
    }
  }
}

function checkText(text: string): void {
  if (text.includes('\0'))
    throw new Fault('invalid', 'The body has a text with a NUL character, which is not taken.')
  if (!text.isWellFormed()) throw new Fault('invalid', 'The body has a text that is not well-formed Unicode.')
}
