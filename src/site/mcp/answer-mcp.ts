import type { Request, Response } from 'express'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid, missing } from '../../errors.ts'
import { failureOf } from '../../http/faults.ts'
import { jsonBody } from '../../http/input/json-body.ts'
import type { Admit } from '../../http/limits/admission.ts'
import { BodyBudget } from '../../http/limits/body-budget.ts'
import { addressGroup, clientAddress } from '../../http/limits/client-address.ts'
import { readBody } from '../../http/receiving/read-body.ts'
import { sendReady } from '../../http/sending/ready-answer.ts'
import { RateLimit } from '../../lib/rate-limit.ts'
import type { SitePlace } from '../place/place.ts'
import { isForAgents } from '../place/rights.ts'
import { acceptsHtml } from '../sending/accepts.ts'
import { pageHeaders, placeHeaders } from '../sending/headers.ts'
import { readyOf } from '../sending/made.ts'
import { policyHeader } from '../sending/page-policy.ts'
import { connectPage } from './connect-page.ts'

const megabyte = 1_000_000
/** The maximum size of a message in bytes. */
const mostBytes = 65_536
const budget = new BodyBudget(8 * megabyte, megabyte)

const minute = 60_000
/** The maximum number of messages from one client per minute. */
const mostCalls = 600
const calls = stateSlot(() => new RateLimit(mostCalls, minute))

/** Returns whether a path is that of the endpoint of a site. */
const isMcp = (path: string): boolean => path.endsWith('/~gitbook/mcp')

/** Returns whether a request is a message to the endpoint of a site. */
export const isMcpCall = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  method === 'POST' && isMcp(path)

/** Returns the visitor token of the header `Authorization`. */
export const bearerToken = ({ headers }: Pick<Request, 'headers'>): string | undefined =>
  /^Bearer +(\S{1,9000})$/i.exec(headers.authorization ?? '')?.[1]

/**
 * Answers a message of a client of the Model Context Protocol, or shows a browser how to connect
 * one. Throws 'missing' for a site that agents may not read, and what reading and searching throws.
 */
export async function answerMcp(
  place: SitePlace,
  req: Request,
  res: Response,
  { admit }: { admit: Admit },
): Promise<void> {
  if (!isForAgents(place)) throw missing('page', place.path)
  if (req.method === 'POST') return answerCall(place, req, res, admit)
  if (!acceptsHtml(req.headers.accept)) return refuseGet(res)
  const page = await admit(hold => connectPage({ ...place, hold }))
  const headers = { ...pageHeaders, ...policyHeader(place), ...placeHeaders(place) }
  await sendReady(req, res, readyOf({ ...page, headers }))
}

/**
 * Answers a failed call as the protocol does: with a JSON-RPC error, and the status of the failure.
 */
export function failMcp(res: Response, error: Fault): void {
  const { status, headers, body } = failureOf(error)
  if (status === 401) res.set('WWW-Authenticate', 'Bearer')
  const { message, reason } = body.error
  const told = { code: serverError, message, data: { reason } }
  res.set(headers).status(status).json({ jsonrpc: '2.0', error: told, id: null })
}

/** The code of errors that the protocol leaves to servers. */
const serverError = -32_000

function refuseGet(res: Response): void {
  const message =
    'Send a message of the Model Context Protocol with POST. Nothing is streamed here.'
  failMcp(res.set('Allow', 'POST'), new Fault('method_not_allowed', message))
}

async function answerCall(
  place: SitePlace,
  req: Request,
  res: Response,
  admit: Admit,
): Promise<void> {
  const { ctx, signal } = place
  checkOrigin(req)
  const sender = addressGroup(clientAddress(req, ctx.config.trustProxy))
  countCall(ctx, sender)
  const bytes = await readBody(req, res, { budget, userId: sender, limit: mostBytes })
  const message = jsonBody(req.headers, bytes)
  if (message === undefined)
    throw invalid('The body is empty. Send a message of the Model Context Protocol.')
  if (Array.isArray(message)) throw invalid('The body is a list. Send one message per request.')

  const { serveMessage } = await import('./serve-message.ts')
  const answer = await admit(hold =>
    serveMessage({ ...place, hold }, { headers: headersOf(req), message, signal }),
  )

  res.status(answer.status).set({ ...answer.headers, 'Cache-Control': 'no-store' })
  res.end(answer.body)
}

/**
 * Throws 'forbidden' for a request that a page of another origin sends: browsers could carry a
 * visitor's session along.
 */
function checkOrigin({ headers: { origin, host } }: Request): void {
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return
  throw new Fault('origin_not_allowed', 'Pages of other origins cannot use this endpoint.')
}

function countCall(ctx: Context, client: string): void {
  const wait = ctx.caches.get(calls).take(client)
  if (wait === 0) return
  const retryAfter = Math.ceil(wait / 1000)
  const refusal = { label: 'mcp', retryAfter }

  throw new Fault(
    'rate_limited',
    `Too many messages. Try again in ${retryAfter} s.`,
    undefined,
    refusal,
  )
}

/**
 * Returns the headers that the protocol reads. Any client is answered in both forms that the
 * protocol has.
 */
function headersOf({ headers }: Request): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))
  return {
    ...Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
}
