import type { Request, Response } from 'express'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { BodyBudget } from '../limits/body-budget.ts'
import { addressGroup, clientAddress } from '../limits/client-address.ts'
import { readBody } from './read-body.ts'

const megabyte = 1_000_000
/** The maximum size of a form in bytes. */
const mostBytes = 16_384
const smallForms = new BodyBudget(8 * megabyte, megabyte)
const utf8 = new TextDecoder('utf-8', { fatal: true })

type FormOptions = {
  /** The maximum size in bytes, 16 KiB by default, and the budget that it counts against. */
  limit?: number
  budget?: BodyBudget
}

/**
 * Returns the fields of a form that a browser posts. Throws 'unsupported_type', 'too_large', or
 * 'invalid' for bytes that are not UTF-8 and for a field that is there twice.
 */
export async function readForm(
  { config: { trustProxy } }: Pick<Context, 'config'>,
  req: Request,
  res: Response,
  { limit = mostBytes, budget = smallForms }: FormOptions = {},
): Promise<ReadonlyMap<string, string>> {
  const type = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new Fault(
      'unsupported_media_type',
      'Send the form with "application/x-www-form-urlencoded".',
    )
  const sender = addressGroup(clientAddress(req, trustProxy))
  const bytes = await readBody(req, res, { budget, userId: sender, limit })
  const fields = new Map<string, string>()

  for (const [name, value] of new URLSearchParams(decodeField(bytes))) addField(fields, name, value)

  return fields
}

/** Adds a field to those of a form. Throws 'invalid' for one that is there already. */
export function addField(fields: Map<string, string>, name: string, value: string): void {
  if (fields.has(name))
    throw new Fault('malformed_request', `The form contains "${name.slice(0, 40)}" twice.`)
  fields.set(name, value)
}

/** Returns the text of a form. Throws 'invalid' for bytes that are not UTF-8. */
export function decodeField(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Fault('malformed_request', 'The form is not valid UTF-8.')
  }
}
